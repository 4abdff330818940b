"""What every report has in common, whatever a message or a path holds."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snob import __version__
from snob.errors import Problem
from snob.ground.documents import encode_json
from snob.ground.reports import Line, envelope, error_lines, error_report, line

hostile = st.text(st.characters(exclude_categories=())).filter(bool)
"""Any text at all, lone surrogates and control characters in it."""


def test_an_envelope_says_what_ran_and_when() -> None:
    head = envelope("check")
    assert ["schema_version", "tool_version", "generated_at", "command"] == list(head)
    assert (1, __version__, "check") == (head["schema_version"], head["tool_version"], head["command"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", head["generated_at"])


def test_what_a_problem_does_not_know_is_left_out() -> None:
    problems = [Problem("usage", "m"), Problem("git", "n", "p", 3, "k", "h")]
    report = error_report("check", problems)
    assert [
        {"code": "usage", "message": "m"},
        {"code": "git", "message": "n", "path": "p", "line": 3, "key": "k", "hint": "h"},
    ] == report["errors"]
    assert "check" == report["command"]


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        (Problem("usage", "m"), ["error: m"]),
        (Problem("usage", "m", "p"), ["error: p: m"]),
        (Problem("usage", "m", "p", 3, "k"), ["error: p:3: m"]),
        (Problem("usage", "m", "p", 3, "k", "h"), ["error: p:3: m", "       next: h"]),
    ],
)
def test_a_problem_is_told_with_its_place_and_its_next_step(problem: Problem, expected: list[str]) -> None:
    assert expected == [shown.plain for shown in error_lines([problem])]


@pytest.mark.req("T41")
@given(hostile)
def test_no_problem_breaks_a_report_or_reaches_a_terminal_raw(text: str) -> None:
    problem = Problem("usage", text, text, 1, text, text)
    read = json.loads(encode_json(error_report("check", [problem])))["errors"][0]
    assert all(value.isprintable() for value in read.values() if isinstance(value, str))
    assert all(shown.plain.isprintable() for shown in error_lines([problem]))


@pytest.mark.req("T41")
@given(hostile, st.integers(0, 9))
def test_a_line_is_one_line(text: str, indent: int) -> None:
    plain = line(text, "bad", indent=indent).plain
    assert plain.isprintable()
    assert plain == plain.rstrip()


def test_a_line_of_several_pieces_is_joined_and_moved_in() -> None:
    assert "  a b" == Line((("a", "bad"), (" b  ", "")), 2).plain
    assert "" == line(indent=3).plain
    assert not line("x").prose
