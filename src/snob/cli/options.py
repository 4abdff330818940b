"""What a command is, and what a command line asks of it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from snob.cli.console import Console


class Options(argparse.Namespace):
    """What a command line asks for."""

    command: str
    run: Callable[[Options, Console, Mapping[str, str], str], bool]
    """The handler: it returns whether something is owed, and raises `SnobError` where that cannot be told."""
    project: str | None
    format: str
    output: str | None
    jobs: int | None
    no_cache: bool
    color: str
    verbose: bool
    quiet: bool
    paths: list[str]
    config: str | None
    fail_on: str
    no_providers: bool
    subject: str


class Command(NamedTuple):
    """One command: what help says of it, its own arguments, and its handler."""

    summary: str
    description: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[Options, Console, Mapping[str, str], str], bool]
