"""The first settings and the first policy of a project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from snob.errors import FileError, Problem, Problems
from snob.ground.documents import encode_json
from snob.ground.files import write_new
from snob.ground.paths import shown
from snob.ground.reports import Line, envelope, line
from snob.ground.snapshots import WorkTree
from snob.review.settings import FILE, read_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from snob.ground.project import Project

_SETTINGS: Final = """\
# What snob looks at; every key is optional, and these are the defaults.

# Files that are never judged:
# ignore = ["vendor/**", "dist/**"]

# [paths]
# policies = "snob/policies"
# reviews  = "snob/reviews"
# claims   = "snob/claims"
"""
_POLICY: Final = """\
description = "A first policy, to be replaced by what your project wants reviewed"

# Patterns are git's: `*` stops at `/`, `**/` spans folders.
match = [{match}]

[rules.no-secrets]
level = "warning"            # "error" makes a missing review fail the check
description = "No credential, token or private key stands in the file"
review = \"\"\"
Read the literals, the defaults and the comments. A value that opens something
outside a test is a violation, even where it has expired.
\"\"\"
"""
_TEXT_SUFFIXES: Final = frozenset(
    [
        "py",
        "ts",
        "tsx",
        "js",
        "jsx",
        "go",
        "rs",
        "java",
        "kt",
        "c",
        "h",
        "cc",
        "cpp",
        "hpp",
        "cs",
        "rb",
        "php",
        "swift",
        "scala",
        "sh",
        "sql",
        "tf",
        "yml",
        "yaml",
        "md",
        "html",
        "css",
        "vue",
        "ex",
        "erl",
    ]
)


def write_first_policy(project: Project) -> tuple[str, ...]:
    """
    Write `snob.toml` where there is none, and a policy for the project's commonest kind of file; the paths that were written.

    Raises `SnobError` where there is a policy already, or the settings or the way to their policies are not in order, and
    then nothing is written.
    """
    tree = WorkTree(project.root, project.git)
    problems = Problems()
    try:
        settings = read_settings(tree, problems)
        problems.raise_any()
        written = {FILE: _SETTINGS} if tree.kind(FILE) is None else {}
        if any(path.endswith(".toml") for path, _ in tree.below(settings.policies)):
            there = (settings.policies,) if written else (FILE, settings.policies)
            hint = "this project has been set up; edit these files, or name another with --project"
            raise FileError(
                *(Problem("exists", "is there already, and is not overwritten", path, hint=hint) for path in there)
            )
        written[f"{settings.policies}/first.toml"] = _POLICY.format(match=f'"{_commonest(tree)}"')
    finally:
        tree.abandon()
    # The settings come first: should the policy fail, another run finds a project that only lacks one.
    for path, text in written.items():
        write_new(project.root, path, text.encode())
    return tuple(written)


def _commonest(tree: WorkTree) -> str:
    """A pattern for the files of the suffix that stands most often among sources."""
    counts: dict[str, int] = {}
    for path in tree.listing().paths:
        stem, dot, suffix = path.rpartition("/")[2].rpartition(".")
        if stem and dot and suffix in _TEXT_SUFFIXES:
            counts[suffix] = counts.get(suffix, 0) + 1
    if not counts:
        return "**"
    return f"**/*.{max(sorted(counts), key=lambda suffix: counts[suffix])}"


def written_json(written: tuple[str, ...]) -> bytes:
    """What was written, for machines."""
    return encode_json(envelope("init") | {"written": list(written)})


def written_text(written: tuple[str, ...]) -> Iterator[Line]:
    """What was written, for people, and what to do next."""
    for path in written:
        yield line(f"wrote {shown(path)}", "good")
    yield line("next: say in the policy what must be reviewed, commit it, and run `snob pending`")
