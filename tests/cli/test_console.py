"""The only printer: plain or styled, wrapped or not, and bytes that any reader can take."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

import pytest

from snob.cli.arguments import Invalid, parse
from snob.cli.console import Console
from snob.errors import FileError
from snob.ground.reports import Line, line

if TYPE_CHECKING:
    from pathlib import Path

LINES = [
    line("é\udcff\x1b[2J", "bad"),
    line("word " * 40, indent=4, prose=True),
    Line((("status  ", "warn"), ("src/" + "long/" * 30, "bold"))),
]


def console(color: str = "auto", output: str | None = None, **environment: str) -> Console:
    """A console whose environment is just that."""
    return Console(color, output, environment, quiet=False)


@pytest.mark.req("T41", "C31")
def test_a_pipe_gets_plain_lines_of_utf_8(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    console().text(LINES)
    console().errors(LINES)
    for text in capfdbinary.readouterr():
        lines = text.decode().splitlines()
        assert ["é\\xff\\x1b[2J", "    " + ("word " * 40).strip(), "status  src/" + "long/" * 30] == lines


@pytest.mark.req("T41")
@pytest.mark.parametrize("width", [40, 100])
def test_styled_text_is_wrapped_at_the_width_and_only_where_it_is_prose(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    console("always", TERM="dumb", NO_COLOR="1").text(LINES)
    styled = capfdbinary.readouterr().out.decode()
    assert "\x1b[1;31mé\\xff\\x1b[2J\x1b[0m\n" in styled
    plain = re.sub(r"\x1b\[[0-9;]*m", "", styled).splitlines()
    prose = [text for text in plain if "word" in text]
    assert len(prose) > 1
    assert max(map(len, (text.rstrip() for text in prose))) <= width
    assert all(text.startswith("    ") for text in prose)
    assert "status  src/" + "long/" * 30 == plain[-1]


def test_a_report_for_a_file_is_never_styled(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    console("always", str(tmp_path / "report")).text(LINES)
    assert "\x1b" not in (tmp_path / "report").read_text()
    assert ("", "") == capfd.readouterr()


@pytest.mark.req("T62", "C23")
def test_a_report_that_nobody_takes_is_an_error_and_a_complaint_that_nobody_takes_is_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as broken:
        monkeypatch.setattr(sys, "stdout", broken)
        monkeypatch.setattr(sys, "stderr", broken)
        for color in ("never", "always"):
            with pytest.raises(FileError, match="Broken pipe"):
                console(color).text(LINES)
            console(color).errors(LINES)
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    for color in ("never", "always"):
        with pytest.raises(FileError, match="is closed"):
            console(color).text(LINES)
        console(color).errors(LINES)


@pytest.mark.parametrize(
    ("words", "as_json", "output"),
    [
        ("check --bogus --format json", True, None),
        ("check --bogus --format=json --output=x", True, "x"),
        ("check --format json --format text --bogus", False, None),
        ("check --bogus --output a --output b", False, "b"),
        ("check --bogus --output=", False, None),
        ("check --bogus -- --format json --output x", False, None),
        ("check --bogus --format", False, None),
    ],
)
def test_a_refused_command_line_is_answered_where_and_how_it_asks(
    words: str, as_json: bool, output: str | None
) -> None:
    refused = parse(words.split())
    assert isinstance(refused, Invalid)
    assert ("check", as_json, output) == (refused.command, refused.as_json, refused.output)
