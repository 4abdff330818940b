"""Bytes to values, whatever a person or an attacker put into them."""

from __future__ import annotations

import pytest
import tomli
from hypothesis import given
from hypothesis import strategies as st

from snob.errors import InputError, Problem, Problems
from snob.ground.documents import RECORD_CAP, decode_json, decode_toml, line_of, toml_value
from snob.ground.tables import Source

BOMBS = {
    "nested arrays": b"a=" + b"[" * 5000,
    "nested inline tables": b"a=" + b"{a=" * 5000,
    "dotted key": b".".join([b"a"] * 20_000) + b"=1",
    "quoted dotted key": b".".join([b'"a"'] * 20_000) + b"=1",
    "spaced dotted key": b" . ".join([b"a"] * 20_000) + b"=1",
    "dotted header": b"[" + b".".join([b"a"] * 20_000) + b"]",
    "growing headers": b"".join(b"[%s]\n" % b".".join([b"a"] * n) for n in range(1, 400)),
    "many headers": b"".join(b"[a%d]\n" % n for n in range(5000)),
    "huge integer": b"a=" + b"9" * 5000,
    "invalid UTF-8": b"a='\xff'",
    "BOM": b"\xef\xbb\xbfa=1",
    "NUL": b"a='\0'",
    "too large": b"#" * (RECORD_CAP + 1),
    "truncated": b"a=",
    "duplicate": b"a=1\na=2",
}


@pytest.mark.req("T60")
@pytest.mark.parametrize("name", BOMBS)
def test_a_toml_bomb_is_refused_by_name(name: str) -> None:
    with pytest.raises(InputError) as caught:
        decode_toml(BOMBS[name], "p.toml")
    assert ["p.toml"] == [problem.path for problem in caught.value.problems]


@pytest.mark.req("T60")
@pytest.mark.parametrize(
    "data",
    [
        b"[" * 100_000,
        b'{"a":1,"a":2}',
        b"NaN",
        b'{"a":-Infinity}',
        b"{",
        b"\xff",
        b"9" * 5000,
        b"",
        b'{"a":{"b":1,"b":1}}',
    ],
)
def test_json_that_is_none_or_repeats_a_key_is_refused(data: bytes) -> None:
    with pytest.raises(InputError):
        decode_json(data, "answer")


def test_dots_in_texts_are_no_dotted_keys() -> None:
    text = b'note = "' + b"a." * 500 + b'"\nmore = """\n' + b". . ." * 100 + b'\n"""\n'
    assert {"note", "more"} == decode_toml(text, "p.toml").keys()


def test_a_toml_fault_names_its_line() -> None:
    with pytest.raises(InputError) as caught:
        decode_toml(b"a = 1\nb = \n", "p.toml")
    assert 2 == caught.value.problems[0].line


@pytest.mark.parametrize(
    ("text", "name", "line"),
    [
        (b"a = 1\nb = 2\n", "b", 2),
        (b"a = 1\n[rules.x]\nlevel = 1\n", "level", 3),
        (b"[rules.x]\n[rules.y]\n", "y", 2),
        (b"[rules.x]\nlevel=1\n[rules.y]\nlevel=1\n", "level", None),
        (b'"q/r" = 1\n', "q/r", 1),
        (b"ab = 1\n", "b", None),
    ],
)
def test_a_key_s_line_is_told_where_only_one_can_be_meant(text: bytes, name: str, line: int | None) -> None:
    assert line == line_of(text, name)


@given(st.recursive(st.one_of(st.booleans(), st.text(st.characters(codec="utf-8"))), st.lists, max_leaves=5))
def test_what_is_written_as_toml_reads_back(value: object) -> None:
    written = toml_value(value)
    assert value == tomli.loads(f"v = {written}")["v"]
    assert written.isprintable()


def test_a_table_tells_all_that_is_wrong_with_it() -> None:
    problems = Problems()
    table = Source("f.toml", b'a = 1\nb = "x"\n[c]\nd = 3\n', problems).table()
    assert None is table.text("a")
    assert "x" == table.text("b", required=True)
    assert None is table.text("e", required=True)
    assert None is table.number("f")
    assert False is table.flag("g")
    inner = table.table("c")
    assert inner is not None
    assert None is inner.texts("d")
    inner.finish()
    table.finish()
    with pytest.raises(InputError) as caught:
        problems.raise_any()
    assert [("a", 1), ("c.d", 4), ("e", None)] == sorted((p.key or "", p.line) for p in caught.value.problems)


def test_a_true_is_no_number() -> None:
    problems = Problems()
    table = Source("f.toml", b"a = true\n", problems).table()
    assert None is table.number("a")
    assert problems


def test_problems_are_told_once_and_in_order() -> None:
    problems = Problems()
    problems.raise_any()
    for path in ("b", "a", "b"):
        problems.add(Problem("usage", "m", path))
    with pytest.raises(InputError) as caught:
        problems.raise_any()
    assert ["a", "b"] == [problem.path for problem in caught.value.problems]
