"""
Every error that snob raises on purpose.

A verdict is a value; an exception is the absence of one. An error carries all the problems that a run
could find, not the first alone. What is raised here ends a run with exit status 2; any other exception that
reaches the door is a defect of snob, exit status 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Problem(NamedTuple):
    """One thing that is wrong: what, where, and what to do next."""

    code: str
    """A stable word for machines, one of `CODES`."""
    message: str
    """What is wrong, one sentence for a person, with no control characters of its own."""
    path: str | None = None
    """The file it is about, relative to the project root; as the user wrote it where it lies outside."""
    line: int | None = None
    """The line in that file, from 1, where the parser knows it."""
    key: str | None = None
    """The dotted key or the option."""
    hint: str | None = None
    """The next step."""


CODES = {
    "usage": "the command line contradicts itself or names what does not exist",
    "no-policy": "there is no policy, so there is nothing to judge by",
    "undecodable": "a file is no UTF-8, no TOML or no JSON, or exceeds a cap",
    "unknown-key": "a file has a key that its format does not know",
    "missing-key": "a file lacks a key that its format requires",
    "wrong-type": "a value has another type than its format asks",
    "invalid-value": "a value has the right type but no meaning",
    "misplaced": "a file lies where its kind cannot lie, or its name does not fit",
    "not-regular": "a record is a link, a directory or a special file",
    "unreadable": "the operating system refused to read, list or look up",
    "unwritable": "the operating system refused to write",
    "too-large": "a file exceeds the size that its kind may have",
    "moving": "a file changed while it was read",
    "special-file": "a rule needs a FIFO, a socket or a device",
    "not-utf8": "a rule needs a file whose name is not UTF-8",
    "no-source": "a review file has neither a source file nor the marker `deleted = true`",
    "source-exists": "a review file is marked `deleted = true` while its source file exists",
    "no-provider": "a claim reference names a provider that is not configured",
    "provider": "a provider failed, or its answer is not of the protocol",
    "git": "git failed, or answered out of form",
    "no-git": "git is needed and cannot be had",
    "exists": "a file that would be written is there already",
}
"""The closed, published list of problem codes and what each means."""


class SnobError(Exception):
    """An error raised on purpose; `problems` holds one item or more."""

    def __init__(self, *problems: Problem) -> None:
        """Keep `problems`, in the order in which they were found."""
        if not problems:
            reason = "an error without a problem tells nobody anything"
            raise RuntimeError(reason)
        super().__init__("; ".join(problem.message for problem in problems))
        self.problems = problems


class UsageError(SnobError):
    """The command line contradicts itself or names what does not exist."""


class InputError(SnobError):
    """Something that a person wrote is wrong."""


class FileError(SnobError):
    """The operating system refused, or a path is not what it must be."""


class GitError(SnobError):
    """Git is missing, failed, or answered out of form."""


class ProviderError(SnobError):
    """A configured command failed, or answered what was not asked."""


class Problems:
    """Gathers what is wrong while a run goes on, so that the run can tell all of it at once."""

    def __init__(self) -> None:
        """Start with none."""
        self._found: list[Problem] = []

    def __bool__(self) -> bool:
        """Whether anything was found."""
        return bool(self._found)

    def add(self, problem: Problem) -> None:
        """Keep one problem."""
        self._found.append(problem)

    def extend(self, problems: Iterable[Problem]) -> None:
        """Keep several problems, such as those of an error that was caught."""
        self._found.extend(problems)

    def raise_any(self) -> None:
        """
        Go on where nothing was found.

        Raises `InputError` with every distinct problem, ordered by file, line and key.
        """
        if self._found:
            found = sorted(set(self._found), key=lambda p: (p.path or "", p.line or 0, p.key or "", p.message))
            raise InputError(*found)
