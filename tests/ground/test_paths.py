"""Paths that stay in the project, and names that no terminal obeys."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snob.ground.paths import byte_order, is_below, is_utf8, path_fault, printable, shown

names = st.binary(max_size=8).map(os.fsdecode)
"""Any name that a file system can hand out, UTF-8 or not."""


@pytest.mark.req("T26", "T66")
@pytest.mark.parametrize(
    ("path", "fault"),
    [
        ("", "it is empty"),
        ("a\0", "it holds a NUL"),
        ("/a", "it is absolute"),
        ("/", "it is absolute"),
        ("C:/x", "it is absolute"),
        ("c:x", "it is absolute"),
        ("a\\b", "it holds a backslash; `/` separates folders"),
        ("\\\\host\\x", "it holds a backslash; `/` separates folders"),
        ("a//b", "it has an empty part"),
        ("a/", "it has an empty part"),
        ("./a", "it has a part `.`"),
        ("a/.", "it has a part `.`"),
        (".", "it has a part `.`"),
        ("..", "it leaves the project by `..`"),
        ("../a", "it leaves the project by `..`"),
        ("a/../b", "it leaves the project by `..`"),
        (".git/x", "it lies in `.git`"),
        ("a/.GIT", "it lies in `.git`"),
    ],
)
def test_a_path_that_wanders_is_told_its_fault(path: str, fault: str) -> None:
    assert fault == path_fault(path)


@pytest.mark.parametrize("path", ["a", "a/b.c/.d", "...", "a..b/..c", ".gitignore", "-rf", " ", "é/\udcff", "ab:c"])
def test_a_path_that_stays_has_no_fault(path: str) -> None:
    assert None is path_fault(path)


@pytest.mark.req("T41")
@given(names, names)
def test_shown_names_are_printable_and_distinct_whatever_their_bytes(one: str, other: str) -> None:
    assert shown(one).isprintable()
    shown(one).encode()
    assert (one == other) == (shown(one) == shown(other))


@pytest.mark.req("T41")
@given(st.text(st.characters()), st.text(st.characters()))
def test_shown_texts_are_printable_and_distinct(one: str, other: str) -> None:
    assert shown(one).isprintable()
    assert (one == other) == (shown(one) == shown(other))


@pytest.mark.req("T41")
def test_a_control_character_and_the_byte_of_its_number_are_two_names() -> None:
    assert ["\\u0085", "\\x85"] == [shown(os.fsdecode(name)) for name in (b"\xc2\x85", b"\x85")]


@pytest.mark.req("T41")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b.é", "a b.é"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\nb\r\t", "a\\nb\\r\\t"),
        ("\u202etxt.exe", "\\u202etxt.exe"),
        ("\u200b", "\\u200b"),
        ("\xa0\xad", "\\u00a0\\u00ad"),
        ("\udcff", "\\xff"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("C:\\x", "C:\\x"),
    ],
)
def test_what_a_terminal_would_obey_is_escaped(text: str, expected: str) -> None:
    assert expected == printable(text)
    assert expected == printable(printable(text))


@given(names)
def test_a_name_is_utf8_where_its_bytes_are(name: str) -> None:
    try:
        os.fsencode(name).decode()
    except UnicodeDecodeError:
        assert not is_utf8(name)
    else:
        assert is_utf8(name)


@given(st.lists(names))
def test_byte_order_is_the_order_of_the_bytes(found: list[str]) -> None:
    assert sorted(os.fsencode(name) for name in found) == [os.fsencode(name) for name in sorted(found, key=byte_order)]


@pytest.mark.req("T66")
@pytest.mark.parametrize(
    ("path", "directory", "expected"),
    [
        ("a/b", "a", True),
        ("a", "a", True),
        ("a", "", True),
        ("ab", "a", False),
        ("a-evil/b", "a", False),
        ("a", "a/b", False),
    ],
)
def test_a_path_is_below_a_folder_and_not_below_its_look_alike(path: str, directory: str, expected: bool) -> None:
    assert expected == is_below(path, directory)
