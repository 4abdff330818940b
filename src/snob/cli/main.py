"""From the words of a command line to an exit status; the only place that ends the process."""

from __future__ import annotations

import gc
import os
import sys

from snob import __version__


def run() -> None:
    """The console script: run `sys.argv`, end with its status."""
    # NOTE: a run is short, and hundreds of thousands of small values live to its end: collecting them again and again
    # finds nothing to free.
    gc.disable()
    if sys.getfilesystemencoding() != "utf-8":
        # NOTE: names are bytes, and what is hashed and recorded of them is UTF-8; a locale must not change it (C31).
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606 - this very process
    status = main(sys.argv[1:])
    # NOTE: leaving without the interpreter's teardown saves the freeing of a few million objects; all output was
    # written straight to its descriptor, so nothing is left to flush.
    os._exit(status)


def main(words: list[str]) -> int:
    """Run one command line; the exit status (0 pass, 1 owed, 2 no verdict, 3 defect, 130 interrupted)."""
    if words == ["--version"]:
        try:
            os.write(1, f"snob {__version__}\n".encode())
        except OSError:
            return 2
        return 0
    from snob.cli.door import through_the_door  # noqa: PLC0415 - `--version` pays for nothing else

    return through_the_door(words, dict(os.environ), os.getcwd)
