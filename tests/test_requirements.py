"""Every requirement that is said to be met is carried by a test."""

from __future__ import annotations

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parent
MET = {*(f"F{number}" for number in (*range(1, 14), 20, 21, 22, 61, 75, 76, 77))}
"""The requirements that this version claims to meet."""


def carried() -> set[str]:
    """The ids of all `req` marks."""
    found = set()
    for path in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "req":
                found |= {argument.value for argument in node.args if isinstance(argument, ast.Constant)}
    return {str(mark) for mark in found}


def test_every_mark_is_a_requirement_a_threat_or_a_case() -> None:
    assert [] == [mark for mark in carried() if not re.fullmatch(r"[FHXTC]\d+", mark)]


def test_every_requirement_that_is_met_has_a_test() -> None:
    assert set() == MET - carried()
