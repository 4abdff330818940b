"""What every report of the tool has in common: its envelope, its error object, and lines of styled text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from snob import __version__
from snob.ground.clock import utc_now
from snob.ground.paths import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from snob.errors import Problem

SCHEMA_VERSION = 1


class Line(NamedTuple):
    """One line of text for people."""

    spans: tuple[tuple[str, str], ...]
    """Pieces of text and their styles: `good`, `bad`, `warn`, `dim`, `bold` or the empty text."""
    indent: int = 0
    """Columns by which the line, and what of it is wrapped, is moved in."""
    prose: bool = False
    """Whether it may be broken between words where it is wider than the terminal; a path or a digest may not."""

    @property
    def plain(self) -> str:
        """The line without styles, unwrapped, and with nothing in it that a terminal obeys."""
        text = printable("".join([text for text, _ in self.spans]))
        return f"{' ' * self.indent}{text}".rstrip() if self.indent else text.rstrip()


def line(text: str = "", style: str = "", *, indent: int = 0, prose: bool = False) -> Line:
    """A line of one style."""
    return Line(((text, style),), indent, prose)


def envelope(command: str) -> dict[str, Any]:
    """The head of every JSON document."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool_version": __version__,
        "generated_at": utc_now(),
        "command": command,
    }


def error_report(command: str, problems: Iterable[Problem]) -> dict[str, Any]:
    """The JSON document of a run that could not judge; what a problem does not know is left out."""
    errors = [
        {
            name: printable(value) if isinstance(value, str) else value
            for name, value in problem._asdict().items()
            if value is not None
        }
        for problem in problems
    ]
    return envelope(command) | {"errors": errors}


def error_lines(problems: Iterable[Problem]) -> list[Line]:
    """The same for people."""
    lines = []
    for problem in problems:
        place = ":".join(str(part) for part in (problem.path, problem.line) if part is not None)
        head = (("error: ", "bad"), (f"{place}: " if place else "", "bold"), (problem.message, ""))
        lines.append(Line(head, prose=True))
        if problem.hint is not None:
            lines.append(Line((("next: ", "dim"), (problem.hint, "")), 7, prose=True))
    return lines
