"""What is hashed never drifts: golden vectors, and encodings that cannot run together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snob.ground.canonical import encode, frame
from snob.ground.digests import (
    EMPTY_BUCKET,
    GITLINK,
    SYMLINK,
    bucket_digest,
    bucket_of,
    content_hash,
    is_digest,
    pair_frame,
    set_digest,
)
from snob.review.policies import fingerprint, normal_text
from snob.review.terms import Level


@pytest.mark.req("F21", "F8")
def test_content_hashes_are_pinned() -> None:
    assert content_hash(b"") == "blake3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
    assert content_hash(b"a\n") == "blake3:81c4b7f7e0549f1514e9cae97cf40cf133920418d3dc71bedbf60ec9bd6148cb"
    assert content_hash(b"a\r\n") == "blake3:26a41f497f9208b92112f0ea9c7edce259f81ac614c1de05d47cd10778482e14"
    assert (
        content_hash(b"../a", SYMLINK)
        == "blake3-symlink:7495ce36ec5fda5f81f6be0e34ad82d75895dc03eebe94ffd7579ca6c8db8a81"
    )
    assert (
        content_hash(b"1" * 40, GITLINK)
        == "blake3-gitlink:28cca3258330ba297981d38915d005a15aab5d070d8c2ac1fd4a740998ba850b"
    )


@pytest.mark.req("F22")
def test_context_digests_are_pinned() -> None:
    pair = pair_frame("lib/é.py", content_hash(b"e\n"))
    buckets = [EMPTY_BUCKET] * 256
    assert set_digest(buckets) == "blake3:b12d0890ea660b2160312676ebb73d27c4c6a04bdfa54f62e3eac8bdb98cb356"
    buckets[bucket_of("lib/é.py")] = bucket_digest([pair])
    assert set_digest(buckets) == "blake3:d0ace13e4d0177b8655efc7d6261df1d18cb51342bc9721c1a24aeb9a950e724"


@pytest.mark.req("F3", "C20")
def test_rule_fingerprints_are_pinned() -> None:
    assert (
        fingerprint("p/r", Level.ERROR, "d", "v", ())
        == "blake3:dd1b06b3c620855ce1a73eab36a2d7de71ad469f163dab0c5c7b1cf50ad5e757"
    )
    assert (
        fingerprint("p/r", Level.WARNING, "d\n", "v  \r\n", ("a/**", "b"))
        == "blake3:4786086ca0ad421c9a3f8f514c914c8b30a02469e68c431a6a7a6e3f21b5a85c"
    )


@pytest.mark.req("T51", "C20")
def test_text_that_moves_between_fields_is_another_fingerprint() -> None:
    found = {
        fingerprint("p/r", Level.ERROR, "ab", "c", ()),
        fingerprint("p/r", Level.ERROR, "a", "bc", ()),
        fingerprint("p/r", Level.ERROR, "a", "b", ("c",)),
        fingerprint("p/ra", Level.ERROR, "b", "c", ()),
        fingerprint("p/r", Level.ERROR, "a", "b", ("a,b",)),
        fingerprint("p/r", Level.ERROR, "a", "b", ("a", "b")),
        fingerprint("p/r", Level.WARNING, "ab", "c", ()),
    }
    assert 7 == len(found)


@pytest.mark.req("F6")
def test_line_ends_and_trailing_blanks_of_a_text_do_not_count() -> None:
    assert "a\n\n b" == normal_text("\r\n\n a".strip() + " \t\r\n\r\n b\n\n")
    assert " a" == normal_text("\n \n a\n")


texts = st.text(st.characters(codec="utf-8"), max_size=6)
fields = st.lists(st.one_of(texts, st.lists(texts, max_size=3)), max_size=4)


@pytest.mark.req("T51")
@given(texts, fields, texts, fields)
def test_no_two_records_of_one_shape_have_one_encoding(
    tag: str, one: list[str | list[str]], other_tag: str, other: list[str | list[str]]
) -> None:
    shape = [type(field) for field in one]
    if shape == [type(field) for field in other] and (tag, one) != (other_tag, other):
        assert encode(tag, *one) != encode(other_tag, *other)


def test_a_frame_says_its_length() -> None:
    assert b"\x02\0\0\0\0\0\0\0ab" == frame(b"ab")


def test_digests_are_told_from_other_text() -> None:
    assert is_digest(content_hash(b""))
    assert is_digest(content_hash(b"", SYMLINK))
    assert not is_digest("blake3:" + "0" * 63)
    assert not is_digest("blake3:" + "0" * 64 + "\n")
    assert not is_digest(None)
