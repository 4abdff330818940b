"""No two inputs have one encoding, and the encoding never drifts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snob.ground.canonical import encode, frame

texts = st.text(st.characters(codec="utf-8"), max_size=6)
fields = st.lists(st.one_of(texts, st.lists(texts, max_size=3)), max_size=4)
tight = st.text(st.sampled_from("\0\1a"), max_size=9)
"""Texts that look like lengths, so that a frame is what has to keep them apart."""


@pytest.mark.req("T51")
@given(texts, fields, texts, fields)
def test_no_two_records_of_one_shape_have_one_encoding(
    tag: str, one: list[str | list[str]], other_tag: str, other: list[str | list[str]]
) -> None:
    shape = [type(field) for field in one]
    if shape == [type(field) for field in other] and (tag, one) != (other_tag, other):
        assert encode(tag, *one) != encode(other_tag, *other)


@pytest.mark.req("T51")
@given(tight, st.lists(tight, max_size=3), tight, st.lists(tight, max_size=3))
def test_texts_that_look_like_lengths_stay_apart(one: str, ones: list[str], other: str, others: list[str]) -> None:
    assert ((one, ones) == (other, others)) == (encode("t", one, ones) == encode("t", other, others))
    assert ((one, ones) == (other, others)) == (encode("t", ones, one) == encode("t", others, other))


@given(texts, fields)
def test_an_encoding_can_be_read_back_by_its_shape(tag: str, record: list[str | list[str]]) -> None:
    data = encode(tag, *record)

    def number() -> int:
        nonlocal data
        head, data = data[:8], data[8:]
        return int.from_bytes(head, "little")

    def text() -> str:
        nonlocal data
        length = number()
        head, data = data[:length], data[length:]
        return head.decode()

    assert tag == text()
    assert record == [text() if isinstance(field, str) else [text() for _ in range(number())] for field in record]
    assert b"" == data


@pytest.mark.req("T51")
def test_a_frame_is_the_length_and_then_the_bytes() -> None:
    assert b"\x02\0\0\0\0\0\0\0ab" == frame(b"ab")
    assert b"\0\0\0\0\0\0\0\0" == frame(b"")


@pytest.mark.req("F3", "F22")
def test_the_encoding_is_pinned() -> None:
    assert (
        "040000000000000074207631"
        "0300000000000000702f72"
        "02000000000000000100000000000000610200000000000000c3a9"
        "0000000000000000"
    ) == encode("t v1", "p/r", ["a", "é"], "").hex()  # fmt: skip


def test_a_text_that_is_no_utf8_has_no_encoding() -> None:
    with pytest.raises(UnicodeEncodeError):
        encode("t", "\udcff")
