"""The commands of the review half."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from snob.cli.options import Command
from snob.errors import Problem, UsageError
from snob.ground.paths import shown
from snob.ground.project import inside, locate
from snob.ground.stat_cache import StatCache
from snob.review.settings import FILE
from snob.review.terms import Level

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from snob.cli.console import Console
    from snob.cli.options import Options
    from snob.ground.project import Project
    from snob.review.check import Request


_UNSET = "a variable that is not set?"


def run_check(options: Options, console: Console, environment: Mapping[str, str], working: str) -> bool:
    """`snob check`: whether something that fails is owed."""
    from snob.review import check, report  # noqa: PLC0415 - help does not pay for the engine

    request = _request(options, console, environment, working)
    judgement = check.run_check(request)
    if options.format == "json":
        console.report(report.check_json(request, judgement))
    else:
        console.text(report.check_text(request, judgement, everything=options.verbose))
    return judgement.summary.failing > 0


def run_pending(options: Options, console: Console, environment: Mapping[str, str], working: str) -> bool:
    """`snob pending`: the work list; that it could be made is all that its exit status says."""
    from snob.review import check, report  # noqa: PLC0415 - help does not pay for the engine

    request = _request(options, console, environment, working)
    judgement = check.run_check(request)
    if options.format == "json":
        console.report(report.pending_json(request, judgement))
    else:
        console.text(report.pending_text(request, judgement))
    return False


def run_explain(options: Options, console: Console, environment: Mapping[str, str], working: str) -> bool:
    """`snob explain`: why a rule applies to a file, or which files a rule applies to."""
    from snob.review import explain  # noqa: PLC0415 - help does not pay for the engine

    if not options.subject:
        raise UsageError(
            Problem("usage", "PATH|RULE is empty", hint="name a file of the project, or a rule as POLICY/RULE")
        )
    request = _request(options, console, environment, working)
    path = inside(request.project, working, options.subject)
    explanation = explain.explain(request, options.subject, path)
    if options.format == "json":
        console.report(explain.explanation_json(explanation))
    else:
        console.text(explain.explanation_text(explanation))
    return False


def run_init(options: Options, console: Console, environment: Mapping[str, str], working: str) -> bool:  # noqa: ARG001 - one shape for all handlers
    """`snob init`: write the settings and a first policy."""
    from snob.review import init  # noqa: PLC0415 - help does not pay for the engine

    project = locate(working, options.project, FILE)
    written = init.write_first_policy(project)
    if options.format == "json":
        console.report(init.written_json(written))
    else:
        console.text(init.written_text(written))
    return False


def _request(options: Options, console: Console, environment: Mapping[str, str], working: str) -> Request:
    from snob.review.check import Request  # noqa: PLC0415 - help does not pay for the engine

    if options.config == "":
        raise UsageError(Problem("usage", "the file is empty", key="--config", hint=_UNSET))
    config = None if options.config is None else os.path.abspath(os.path.join(working, options.config))
    project = locate(working, options.project, FILE if config is None else None)
    return Request(
        project=project,
        paths=_inside_all(project, working, getattr(options, "paths", [])),
        config=config,
        fail_on=Level(getattr(options, "fail_on", Level.ERROR.value)),
        run_commands=not getattr(options, "no_providers", False),
        jobs=options.jobs,
        cache=_cache(options, project, environment),
        progress=console.progress,
    )


def _inside_all(project: Project, working: str, words: list[str]) -> tuple[str, ...]:
    if "" in words:
        raise UsageError(Problem("usage", "a PATH is empty", hint=f"{_UNSET} the whole project is `.`"))
    paths = {word: inside(project, working, word) for word in words}
    outside = [word for word, path in paths.items() if path is None]
    if outside:
        message = f"lies outside the project {shown(project.root)}"
        hint = "name the project that it is in with --project"
        raise UsageError(*(Problem("usage", message, shown(word), hint=hint) for word in outside))
    return tuple(sorted({path for path in paths.values() if path is not None}))


def _cache(options: Options, project: Project, environment: Mapping[str, str]) -> StatCache | None:
    """The stat cache of a project: in its git directory, else in the user's cache folder; none in CI."""
    if options.no_cache or environment.get("CI", "").lower() == "true":
        return None
    name = project.root.replace("%", "%25").replace(os.sep, "%")
    if project.repository is not None:
        return StatCache(
            os.path.join(project.repository.git_dir, f"snob-stat{name if project.repository.prefix else ''}"),
            project.root,
        )
    home = environment.get("XDG_CACHE_HOME") or os.path.join(environment.get("HOME", ""), ".cache")
    if not os.path.isabs(home) or len(name) > 200:
        return None
    return StatCache(os.path.join(home, "snob", f"stat{name}"), project.root)


def _add_judging(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="keep what lies on or below it; literal, no pattern")
    parser.add_argument("--config", metavar="FILE", help="read this file in place of the project's snob.toml")
    parser.add_argument(
        "--fail-on",
        choices=[level.value for level in Level],
        default=Level.ERROR.value,
        help="the level that fails a check",
    )
    parser.add_argument("--no-providers", action="store_true", help="start no provider command; its claims are unknown")


def _add_explaining(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("subject", metavar="PATH|RULE", help="a file of the project, or the id of a rule")
    parser.add_argument("--config", metavar="FILE", help="read this file in place of the project's snob.toml")


def _add_nothing(parser: argparse.ArgumentParser) -> None:
    """Take the common options only."""
    del parser


COMMANDS = {
    "init": Command(
        "write snob.toml and a first policy",
        "Write a first policy, and snob.toml where there is none; nothing that exists is overwritten.",
        _add_nothing,
        run_init,
    ),
    "check": Command(
        "judge the project: is every review that is asked for there, and current",
        "Judge every obligation. Exit status 0: nothing fails; 1: something is owed; 2: it could not be judged.",
        _add_judging,
        run_check,
    ),
    "pending": Command(
        "the work list: what is to be reviewed, how, and what to record",
        "List what is to be reviewed, with the guidance of its rule and the subject to record.",
        _add_judging,
        run_pending,
    ),
    "explain": Command(
        "why a rule applies to a file, or which files a rule applies to",
        "Of a file: the rules that apply and why, and the reviews that it is context of. Of a rule: its files, its "
        "context, and what goes into its fingerprint.",
        _add_explaining,
        run_explain,
    ),
}
"""Every command, in the order in which help lists them."""
