"""Where every run ends: a verdict or an exception becomes an exit status and a message, and nothing else does."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from snob.cli.arguments import Invalid, parse
from snob.cli.console import Console
from snob.errors import FileError, Problem, SnobError, UsageError
from snob.ground.documents import encode_json
from snob.ground.reports import error_lines, error_report, line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from snob.cli.options import Options
    from snob.ground.reports import Line


class ExitStatus(IntEnum):
    """How a run ends."""

    PASS = 0
    """Judged; nothing is owed."""
    OWED = 1
    """Judged; something is owed."""
    NO_VERDICT = 2
    """It could not be judged; never a partial answer, never a fallback."""
    BUG = 3
    """An exception that nobody foresaw."""
    INTERRUPTED = 130
    """Somebody pressed the interrupt key."""


def through_the_door(words: list[str], environment: Mapping[str, str], working: Callable[[], str]) -> int:
    """Run one command line to its exit status; nothing is raised."""
    aside = Console("auto", None, environment, quiet=False)
    try:
        return _run(words, environment, working)
    except KeyboardInterrupt:
        aside.errors([line("interrupted")])
        return ExitStatus.INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last door: nothing gets past it as Python's own status 1
        return _bug(aside, error)


def _run(words: list[str], environment: Mapping[str, str], working: Callable[[], str]) -> int:
    parsed = parse(words)
    if isinstance(parsed, Invalid):
        return _refuse(parsed, environment)
    if isinstance(parsed, str):
        return _tell(parsed, environment)
    console = Console(parsed.color, parsed.output, environment, quiet=parsed.quiet)
    try:
        owed = parsed.run(parsed, console, environment, _working_folder(working))
    except SnobError as error:
        return _no_verdict(parsed, console, error)
    finally:
        console.progress.clear()
    return ExitStatus.OWED if owed else ExitStatus.PASS


def _working_folder(working: Callable[[], str]) -> str:
    try:
        return working()
    except OSError as error:
        message = f"the working directory cannot be told: {error.strerror}"
        raise UsageError(Problem("usage", message, hint="change to a folder that exists")) from error


def _tell(text: str, environment: Mapping[str, str]) -> int:
    """Print what was asked for in place of a run, such as help."""
    console = Console("never", None, environment, quiet=False)
    try:
        console.report(text.encode())
    except SnobError:
        return ExitStatus.NO_VERDICT
    return ExitStatus.PASS


def _refuse(invalid: Invalid, environment: Mapping[str, str]) -> int:
    """End a run whose command line makes no sense, in the format that it asks for as far as that can be told."""
    console = Console("auto", invalid.output, environment, quiet=False)
    return _report_problems(console, invalid.command, invalid.problems, as_json=invalid.as_json)


def _no_verdict(options: Options, console: Console, error: SnobError) -> int:
    return _report_problems(console, options.command, error.problems, as_json=options.format == "json")


def _report_problems(console: Console, command: str, problems: tuple[Problem, ...], *, as_json: bool) -> int:
    lines = [*error_lines(problems), _count(problems)]
    try:
        if as_json:
            console.report(encode_json(error_report(command, problems)))
        elif console.to_file:
            console.text(lines)
    except FileError as error:
        # Where it is the report itself that was not taken, its error is told already.
        if error.problems != problems:
            console.errors(error_lines(error.problems))
    console.errors(lines)
    return ExitStatus.NO_VERDICT


def _count(problems: tuple[Problem, ...]) -> Line:
    number = "one problem" if len(problems) == 1 else f"{len(problems)} problems"
    return line(f"nothing was judged: {number}", "bad")


def _bug(console: Console, error: Exception) -> int:
    import platform  # noqa: PLC0415 - only a defect pays for it
    import traceback  # noqa: PLC0415

    from snob import __version__  # noqa: PLC0415

    frames = traceback.extract_tb(error.__traceback__)
    place = f"{frames[-1].name}, line {frames[-1].lineno}" if frames else "nowhere"
    console.errors(
        [
            line("this is a defect of snob, and nothing was judged", "bad"),
            line(f"{type(error).__name__}: {error}", indent=2),
            line(f"in {place}; snob {__version__}, Python {platform.python_version()}, {platform.system()}", indent=2),
            *(
                line(f"{frame.filename.rpartition('snob/')[2]}:{frame.lineno} {frame.name}", "dim", indent=4)
                for frame in frames
            ),
            line("please report these lines and the command that you ran to the project's issue tracker"),
        ]
    )
    return ExitStatus.BUG
