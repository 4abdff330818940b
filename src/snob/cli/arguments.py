"""The words of a command line, read into options."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple

from snob import __version__
from snob.cli import review
from snob.cli.options import Options
from snob.errors import Problem

if TYPE_CHECKING:
    from typing import NoReturn

FORMATS = ("text", "json")


class Invalid(NamedTuple):
    """A command line that makes no sense."""

    command: str
    problems: tuple[Problem, ...]
    as_json: bool
    output: str | None


class _Refusal(Exception):  # noqa: N818 - it never leaves this module
    """What the parser found wrong."""


class _Help(Exception):  # noqa: N818 - it never leaves this module
    """What the parser was asked to tell in place of a run."""


class _Parser(argparse.ArgumentParser):
    """A parser that neither prints nor ends the process."""

    def error(self, message: str) -> NoReturn:
        raise _Refusal(message)

    def print_help(self, file: object = None) -> None:  # noqa: ARG002 - the signature is argparse's
        raise _Help(self.format_help())


class _Version(argparse.Action):
    """`--version` beside other words; alone it never comes this far."""

    def __call__(self, *_: object) -> NoReturn:
        raise _Help(f"snob {__version__}\n")


def parse(words: list[str]) -> Options | Invalid | str:
    """The options; or what is wrong with the words; or the text of the help that they ask for."""
    try:
        return _parser().parse_args(words, namespace=Options())
    except _Help as asked:
        return str(asked)
    except _Refusal as refusal:
        command = next((word for word in words if word in review.COMMANDS), "snob")
        hint = "see `snob --help`" if command == "snob" else f"see `snob {command} --help`"
        if words and words[0].startswith("-"):
            hint = "options stand after the command, as in `snob check --format json`"
        problem = Problem("usage", str(refusal), hint=hint)
        return Invalid(command, (problem,), _after(words, "--format") == "json", _after(words, "--output") or None)


def _after(words: list[str], option: str) -> str | None:
    """The value of an option in words that could not be parsed: the last one counts, and `--` ends the options."""
    value = None
    for place, word in enumerate(words):
        if word == "--":
            break
        if word == option and place + 1 < len(words):
            value = words[place + 1]
        elif word.startswith(option + "="):
            value = word[len(option) + 1 :]
    return value


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="snob",
        description="Keeps reviews honest: what must be reviewed, what was, and whether it still holds.",
        epilog="Exit status: 0 nothing is owed, 1 something is owed, 2 it could not be judged, 3 a defect of snob.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    common = _common()
    for name, command in review.COMMANDS.items():
        sub = commands.add_parser(
            name, help=command.summary, description=command.description, parents=[common], allow_abbrev=False
        )
        command.add_arguments(sub)
        sub.set_defaults(run=command.run)
    return parser


def _common() -> _Parser:
    common = _Parser(add_help=False)
    group = common.add_argument_group("common options")
    group.add_argument(
        "--project", metavar="DIR", help="the project's root; by default the nearest folder with a snob.toml"
    )
    group.add_argument("--format", choices=FORMATS, default="text", help="for people, or for machines")
    group.add_argument(
        "--output", metavar="FILE", type=_output, help="write the report there in place of standard output"
    )
    group.add_argument("--jobs", metavar="N", type=_jobs, help="the number of processes that hash files")
    group.add_argument("--no-cache", action="store_true", help="read every file, whatever earlier runs found")
    group.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="whether text is styled")
    group.add_argument("-v", "--verbose", action="store_true", help="tell of every row, satisfied ones too")
    group.add_argument("-q", "--quiet", action="store_true", help="no progress on standard error")
    return common


def _output(word: str) -> str:
    if not word:
        reason = "the file is empty: a variable that is not set?"
        raise argparse.ArgumentTypeError(reason)
    return word


def _jobs(word: str) -> int:
    if not word.isdecimal() or not 1 <= int(word) <= 256:
        reason = f"{word!r} is no number from 1 to 256"
        raise argparse.ArgumentTypeError(reason)
    return int(word)
