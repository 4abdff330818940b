"""
The only printer: reports to standard output, errors and progress to standard error.

Text is styled and wrapped where a person reads it, and plain, one line each, in a pipe. Whatever a name holds, nothing here
fails to encode it (T41).
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from typing import TYPE_CHECKING, Final, TextIO, TypeGuard

from snob.errors import FileError, Problem
from snob.ground.clock import monotonic
from snob.ground.files import write_through
from snob.ground.paths import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rich.console import Console as Terminal

    from snob.ground.reports import Line

_STYLES: Final = {"good": "green", "bad": "bold red", "warn": "yellow", "dim": "dim", "bold": "bold", "": ""}
_PATIENCE: Final = 1.0
"""Seconds after which a person is told how a run gets on."""
_EVERY: Final = 0.1


class Console:
    """Where a run prints to."""

    def __init__(self, color: str, output: str | None, environment: Mapping[str, str], *, quiet: bool) -> None:
        """Print reports to the file `output` where it is given; `color` is `auto`, `always` or `never`."""
        self._color = color
        self._output = output
        self._environment = environment
        self.progress = Progress(shown_at_all=not quiet and sys.stderr is not None and sys.stderr.isatty())

    @property
    def to_file(self) -> bool:
        """Whether reports go to a file, where an older one must not be taken for this run's."""
        return self._output is not None

    def report(self, data: bytes) -> None:
        """Write a report's bytes; raises `FileError` where the output file cannot be written."""
        self.progress.clear()
        if self._output is not None:
            write_through(self._output, data)
            return
        _write(sys.stdout, data)

    def text(self, lines: Iterable[Line]) -> None:
        """Write lines of text as the report."""
        if self._output is None and self._styled(sys.stdout):
            self.progress.clear()
            _write(sys.stdout, _styled_text(lines).encode("utf-8", "backslashreplace"))
        else:
            self.report("".join(f"{line.plain}\n" for line in lines).encode("utf-8", "backslashreplace"))

    def errors(self, lines: Iterable[Line]) -> None:
        """Write lines of text to standard error."""
        self.progress.clear()
        if self._styled(sys.stderr):
            _write_error(_styled_text(lines))
        else:
            for line in lines:
                _write_error(f"{line.plain}\n")

    def _styled(self, stream: TextIO | None) -> TypeGuard[TextIO]:
        if stream is None:
            return False
        if self._color != "auto":
            return self._color == "always"
        return stream.isatty() and "NO_COLOR" not in self._environment and self._environment.get("TERM") != "dumb"


def _styled_text(lines: Iterable[Line]) -> str:
    """
    Lines as a terminal shows them, styled and wrapped.

    They are written to a text first, because a stream has an encoding of the environment's choice that may not know a name.
    """
    from rich.console import Console as Terminal  # noqa: PLC0415 - loaded only where a person reads
    from rich.padding import Padding  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    written = io.StringIO()
    terminal = Terminal(file=written, force_terminal=True, highlight=False, markup=False, emoji=False)
    around = {name: _around(terminal, style) for name, style in _STYLES.items()}
    for line in lines:
        if not line.prose:
            # NOTE: rich takes a fifth of a millisecond for a line; a work list may have a hundred thousand that need
            # no laying out.
            pieces = [around[style][0] + printable(piece) + around[style][1] for piece, style in line.spans]
            written.write(f"{' ' * line.indent}{''.join(pieces)}\n")
        else:
            text = Text.assemble(*((printable(piece), _STYLES[style]) for piece, style in line.spans))
            terminal.print(Padding(text, (0, 0, 0, line.indent)) if line.indent else text)
    return written.getvalue()


def _around(terminal: Terminal, style: str) -> tuple[str, str]:
    """What a terminal is sent before and after a text of a style."""
    with terminal.capture() as captured:
        terminal.print("|", style=style or None, end="")
    before, _, after = captured.get().partition("|")
    return before, after


def _write(stream: TextIO | None, data: bytes) -> None:
    """Write all of `data`; raises `FileError` where nobody takes it, so that half a report never passes for one (T62)."""
    if stream is None:
        raise FileError(Problem("unwritable", "standard output is closed"))
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(stream.fileno(), view) :]
    except OSError as error:
        raise _untaken(error) from error


def _untaken(error: OSError) -> FileError:
    """The error of a report that standard output did not take whole."""
    return FileError(Problem("unwritable", f"standard output: {os.strerror(error.errno or 0)}"))


def _write_error(text: str) -> None:
    """Write to standard error as far as anybody listens: what cannot be told does not change how the run ends."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            os.write(sys.stderr.fileno(), text.encode("utf-8", "backslashreplace"))


class Progress:
    """One line on a terminal's standard error, from the second second of a stage on."""

    def __init__(self, *, shown_at_all: bool) -> None:
        """Stay silent where nobody watches."""
        self._shown = shown_at_all
        self._what = ""
        self._total = self._done = 0
        self._since = self._last = monotonic()
        self._dirty = False

    def start(self, what: str, total: int) -> None:
        """A stage begins that has `total` steps."""
        self._what, self._total, self._done = what, total, 0

    def advance(self, steps: int) -> None:
        """Some steps are done."""
        self._done += steps
        now = monotonic()
        if self._shown and now - self._since > _PATIENCE and now - self._last > _EVERY:
            self._last = now
            self._dirty = True
            os.write(sys.stderr.fileno(), f"\r\x1b[K{self._what}: {self._done:,} of {self._total:,}".encode())

    def clear(self) -> None:
        """Take the line away."""
        if self._dirty:
            self._dirty = False
            os.write(sys.stderr.fileno(), b"\r\x1b[K")
