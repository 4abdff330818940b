"""The fingerprint of a rule never drifts, and its texts cannot run together."""

from __future__ import annotations

import pytest

from snob.review.policies import fingerprint, normal_text
from snob.review.terms import Level


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
