"""Bytes to values, whatever a person or an attacker put into them."""

from __future__ import annotations

import json

import pytest
import tomli
from hypothesis import given
from hypothesis import strategies as st

from snob.errors import InputError
from snob.ground.documents import (
    HEADERS,
    KEY_DOTS,
    RECORD_CAP,
    decode_json,
    decode_toml,
    encode_json,
    encode_json_lines,
    key_lines,
    line_of,
    toml_value,
)

TOML_BOMBS = {
    "nested arrays": b"a=" + b"[" * 1_000_000,
    "nested inline tables": b"a=" + b"{a=" * 300_000,
    "closed nested arrays": b"a=" + b"[" * 5000 + b"]" * 5000,
    "dotted key": b".".join([b"a"] * 20_000) + b"=1",
    "quoted dotted key": b".".join([b'"a"'] * 20_000) + b"=1",
    "literal dotted key": b".".join([b"'a'"] * 20_000) + b"=1",
    "spaced dotted key": b" . ".join([b"a"] * 20_000) + b"=1",
    "dotted key of escaped quotes": b".".join([b'"\\""'] * 20_000) + b"=1",
    "dotted key of escaped backslashes": b".".join([b'"\\\\"'] * 20_000) + b"=1",
    "dotted key of hashes": b".".join([b'"#"'] * 20_000) + b"=1",
    "dotted key after a text with quotes": b'x={y="""a"b""",' + b".".join([b'"a"'] * 20_000) + b"=1}",
    "dotted key after a text that ends in quotes": b'x={y="""a""""",' + b".".join([b'"a"'] * 20_000) + b"=1}",
    "dotted key after a literal with quotes": b"x={y='''a'b''''," + b".".join([b"'a'"] * 20_000) + b"=1}",
    "dotted header": b"[" + b".".join([b"a"] * 20_000) + b"]",
    "dotted header of tables": b"[[" + b".".join([b"a"] * 20_000) + b"]]",
    "growing headers": b"".join(b"[%s]\n" % b".".join([b"a"] * n) for n in range(1, 400)),
    "many headers": b"".join(b"[a%d]\n" % n for n in range(HEADERS + 1)),
    "huge integer": b"a=" + b"9" * 5000,
    "huge base": b"a=0x" + b"f" * 900_000,
    "huge base in a list in a table": b"[a]\nb=[{c=0b1" + b"0" * 5000 + b"}]",
    "digits and underscores": b"a=" + b"1_" * 500_000,
    "quotes without an end": b'a="""' + b'\\"""' * 200_000 + b"\\",
    "literals without an end": b"a=" + b"'''x" * 200_001,
    "dots": b"." * 1_000_000,
    "invalid UTF-8": b"a='\xff'",
    "cut UTF-8": b"a='\xc3",
    "surrogate": b"a='\xed\xa0\x80'",
    "BOM": b"\xef\xbb\xbfa=1",
    "UTF-16": "a=1".encode("utf-16"),
    "NUL": b"a='\0'",
    "too large": b"#" * (RECORD_CAP + 1),
    "truncated": b"a=",
    "duplicate": b"a=1\na=2",
    "no day": b"a=2026-13-45",
}
JSON_BOMBS = {
    "nested lists": b"[" * 1_000_000,
    "nested objects": b'{"a":' * 100_000,
    "closed nested lists": b"[" * 100_000 + b"]" * 100_000,
    "repeated key": b'{"a":1,"a":2}',
    "repeated key below": b'{"a":{"b":1,"b":1}}',
    "repeated key by escape": b'{"a":1,"\\u0061":2}',
    "repeated key at the end of many": b"{" + b",".join(b'"%d":1' % n for n in range(80_000)) + b',"79999":1}',
    "NaN": b"NaN",
    "Infinity": b'{"a":-Infinity}',
    "infinite exponent": b"[1e999]",
    "huge integer": b"9" * 5000,
    "half a pair": b'["\\ud800"]',
    "half a pair as a key": b'{"\\uDfff": 1}',
    "cut": b"{",
    "invalid UTF-8": b'"\xff"',
    "BOM": b"\xef\xbb\xbf1",
    "empty": b"",
    "two": b"1 2",
    "control character": b'"\n"',
    "too large": b" " * (RECORD_CAP + 1),
}


@pytest.mark.req("T60")
@pytest.mark.parametrize("name", TOML_BOMBS)
def test_a_toml_bomb_is_refused_by_name(name: str) -> None:
    with pytest.raises(InputError) as caught:
        decode_toml(TOML_BOMBS[name], "p.toml")
    assert ["p.toml"] == [problem.path for problem in caught.value.problems]
    assert {"undecodable", "too-large"} >= {problem.code for problem in caught.value.problems}
    assert caught.value.problems[0].message.isprintable()


@pytest.mark.req("T60")
@pytest.mark.parametrize("name", JSON_BOMBS)
def test_a_json_bomb_is_refused_by_name(name: str) -> None:
    with pytest.raises(InputError) as caught:
        decode_json(JSON_BOMBS[name], "answer")
    assert ["answer"] == [problem.path for problem in caught.value.problems]
    assert caught.value.problems[0].message.isprintable()


@pytest.mark.req("T60")
@pytest.mark.parametrize("name", [name for name in TOML_BOMBS if "dotted" in name])
def test_every_dotted_bomb_is_stopped_by_the_cap_before_a_parser_sees_it(name: str) -> None:
    with pytest.raises(InputError, match="more than 64 dots"):
        decode_toml(TOML_BOMBS[name], "p.toml")


@pytest.mark.req("T60")
def test_the_caps_are_exact() -> None:
    key = b".".join([b"a"] * (KEY_DOTS + 1))
    decode_toml(key + b"=1", "p.toml")
    with pytest.raises(InputError):
        decode_toml(key + b".a=1", "p.toml")
    assert HEADERS == len(decode_toml(b"".join(b"[a%d]\n" % n for n in range(HEADERS)), "p.toml"))
    assert {} == decode_toml(b"#" * RECORD_CAP, "p.toml")
    assert {"a": 0xFFFF_FFFF_FFFF_FFFF} == decode_toml(b"a=0xffffffffffffffff", "p.toml")
    assert 1 == decode_json(b" " * (RECORD_CAP - 1) + b"1", "answer")
    with pytest.raises(InputError):
        decode_json(b"[1]", "answer", cap=2)


@pytest.mark.req("T60")
@pytest.mark.parametrize(
    "text",
    [
        b'note = "' + b"a." * 500 + b'"',
        b"note = '" + b"a." * 500 + b"'",
        b'note = """\n' + b"a." * 500 + b'\n"""',
        b"note = '''\n" + b"a." * 500 + b"\n'''",
        b'note = """\n' + b"[a]\n" * 100 + b'"""',
        b"# " + b"a." * 500,
        b"note = 1 # " + b"a." * 500,
        b"note = [" + b"1.5, " * 500 + b"]",
    ],
)
def test_dots_in_texts_comments_and_numbers_are_no_dotted_keys(text: bytes) -> None:
    assert {"note"} >= decode_toml(text, "p.toml").keys()


@pytest.mark.req("T60")
@given(st.text(st.sampled_from("ab\"'\\.#=[]{},\n \t1"), max_size=40))
def test_no_key_hides_its_dots_from_the_cap(text: str) -> None:
    # Whatever a parser takes for a key below another, the lexer took for one too.
    try:
        table = tomli.loads(text)
    except (tomli.TOMLDecodeError, RecursionError):
        return

    def paths(value: object, above: tuple[str, ...]) -> list[tuple[str, ...]]:
        if not isinstance(value, dict):
            return []
        return [path for name in value for path in [(*above, name), *paths(value[name], (*above, name))]]

    escaped = "\\" in text
    assert escaped or set(paths(table, ())) <= key_lines(text.encode()).keys()


@pytest.mark.parametrize(
    ("data", "line"),
    [(b"a = 1\nb = \n", 2), (b"a = 1\r\nb = 1\r\na = 2\n", 3), (b"\n\n'\xff'", 3), (b'a = """\n\n', 3)],
)
def test_a_toml_fault_names_its_line(data: bytes, line: int) -> None:
    with pytest.raises(InputError) as caught:
        decode_toml(data, "p.toml")
    assert line == caught.value.problems[0].line
    assert "(at " not in caught.value.problems[0].message


def test_a_json_fault_names_its_line() -> None:
    with pytest.raises(InputError) as caught:
        decode_json(b'{\n"a": 1,\n}', "answer")
    assert 3 == caught.value.problems[0].line


@pytest.mark.parametrize(
    ("text", "name", "line"),
    [
        (b"a = 1\nb = 2\n", "b", 2),
        (b"a = 1\n[rules.x]\nlevel = 1\n", "level", 3),
        (b"[rules.x]\n[rules.y]\n", "y", 2),
        (b"[rules.x]\n", "s", None),
        (b"[rules.x]\nlevel=1\n[rules.y]\nlevel=1\n", "level", None),
        (b'"q/r" = 1\n', "q/r", 1),
        (b"'q/r' = 1\n", "q/r", 1),
        (b"ab = 1\n", "b", None),
        (b'a = """\nb = 1\n"""\n', "b", None),
        (b"# b = 1\nb = 2\n", "b", 2),
        (b"a = { b = 1 }\n", "b", 1),
        (b"a.b = 1\n", "b", 1),
        (b"", "b", None),
        (b"\xff\nb = 1", "b", 2),
    ],
)
def test_a_key_s_line_is_told_where_only_one_can_be_meant(text: bytes, name: str, line: int | None) -> None:
    assert line == line_of(text, name)


def test_every_key_has_its_line_by_its_full_path() -> None:
    text = (
        b"top = 1\n"
        b"[rules.x]\n"
        b'level = """\nnot = 1\n"""\n'
        b'[rules."y.z"] # [rules.no]\n'
        b"level = [\n 'a', # b = 1\n { c = 1 },\n { d.e = 1, f = [] },\n]\n"
        b"g = { h = { i = 1 }, j = 2 }\n"
        b"[[many]]\nk = 1\n[[many]]\nk = 2\n"
    )
    expected = {
        ("top",): 1,
        ("rules",): 2,
        ("rules", "x"): 2,
        ("rules", "x", "level"): 3,
        ("rules", "y.z"): 6,
        ("rules", "y.z", "level"): 7,
        ("rules", "y.z", "level", "c"): 9,
        ("rules", "y.z", "level", "d"): 10,
        ("rules", "y.z", "level", "d", "e"): 10,
        ("rules", "y.z", "level", "f"): 10,
        ("rules", "y.z", "g"): 12,
        ("rules", "y.z", "g", "h"): 12,
        ("rules", "y.z", "g", "h", "i"): 12,
        ("rules", "y.z", "g", "j"): 12,
        ("many",): 13,
        ("many", "k"): 14,
    }
    tomli.loads(text.decode())
    assert expected == key_lines(text)


@pytest.mark.req("T60")
@pytest.mark.parametrize("data", [b"[" + b"a " * 500_000, b"[" + b"a" * 1_000_000, b" " * 1_000_000, b"]}" * 500_000])
def test_a_line_is_looked_for_in_hostile_bytes_too(data: bytes) -> None:
    assert None is line_of(data, "a")


@given(st.recursive(st.one_of(st.booleans(), st.text(st.characters(codec="utf-8"))), st.lists, max_leaves=5))
def test_what_is_written_as_toml_reads_back(value: object) -> None:
    written = toml_value(value)
    assert value == tomli.loads(f"v = {written}")["v"]
    assert written.isprintable()


values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**63), 2**64 - 1),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(st.characters(codec="utf-8")),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(values)
def test_what_is_written_as_json_reads_back(value: object) -> None:
    assert value == decode_json(encode_json(value), "x")
    assert [value, value] == [decode_json(line, "x") for line in encode_json_lines([value, value])]
    assert value == decode_json(json.dumps(value).encode(), "x")


def test_json_keeps_the_order_of_keys_and_ends_in_a_newline() -> None:
    assert b'{\n "b": [\n  1\n ],\n "a": "\xc3\xa9"\n}\n' == encode_json({"b": [1], "a": "é"})
