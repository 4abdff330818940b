"""What a rule's fingerprint is over, and what a claim may be: both pinned, both pure."""

from __future__ import annotations

import blake3
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snob.review.policies import fingerprint, join_patterns, normal_text
from snob.review.providers.claims import FIELDS, decode_claim
from snob.review.terms import Level, counted

GOLDEN = {
    ("p/r", Level.ERROR, "d", "v", ()): "dd1b06b3c620855ce1a73eab36a2d7de71ad469f163dab0c5c7b1cf50ad5e757",
    ("p/r", Level.WARNING, "d", "v", ()): "614291ebac743543d7e4c3411bb1c33354099ec14efc3f41950ba319acbb9726",
    ("p/r", Level.ERROR, "dv", "", ()): "cf1ced2a261340f9cdec18bcd5bd5186615a24df7f7a92bd224eee4e5b9912d2",
    ("p/r", Level.ERROR, "d", "v", ("a", "b")): "ea56302c62cbf250d026531f2ced8963278935fb35d603433c402ec5481740d6",
    ("p/r", Level.ERROR, "d", "v", ("a,b",)): "29821b487d896d2363316846ccca7eabf48364650727364cacc21b0bcf004c08",
    ("a/b/c.d", Level.ERROR, "é\n", "  x\n\ny", ("src/é/**",)):
        "4e5d9047f76ce19656df84b5c10050f4dc9d7d0f9155660265e86ae9a3deab9c",
}  # fmt: skip


@pytest.mark.req("F3", "C20", "T51")
@pytest.mark.parametrize("definition", GOLDEN)
def test_a_fingerprint_is_what_it_was_when_the_first_claim_was_recorded(
    definition: tuple[str, Level, str, str, tuple[str, ...]],
) -> None:
    assert f"blake3:{GOLDEN[definition]}" == fingerprint(*definition)


texts = st.text(st.sampled_from("ab \t\r\n,:"), max_size=6)


@pytest.mark.req("F3", "F6", "C20", "T51")
@given(
    *[st.tuples(st.sampled_from(["p/r", "p/rr"]), texts, texts, st.lists(st.sampled_from(["a", "b", "a,b", "ab"])))] * 2
)
def test_two_definitions_share_a_fingerprint_only_where_they_say_the_same(
    one: tuple[str, str, str, list[str]], other: tuple[str, str, str, list[str]]
) -> None:
    said = [(i, normal_text(d), normal_text(v), join_patterns(c)) for i, d, v, c in (one, other)]
    prints = [fingerprint(i, Level.ERROR, d, v, join_patterns(c)) for i, d, v, c in (one, other)]
    assert (said[0] == said[1]) == (prints[0] == prints[1])
    assert prints[0] == fingerprint(one[0], Level.ERROR, said[0][1], said[0][2], said[0][3])


@pytest.mark.req("F6")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\r\nb\r\n", "a\nb"),
        ("\n \t\n  a  \n\n b\t\n\n", "  a\n\n b"),
        ("a\rb", "a\rb"),
        ("", ""),
        (" \n\t\r\n", ""),
        ("a\u00a0", "a\u00a0"),
    ],
)
def test_a_text_loses_its_line_ends_and_trailing_blanks_and_nothing_else(text: str, expected: str) -> None:
    assert expected == normal_text(text)
    assert expected == normal_text(expected)


@pytest.mark.req("F20", "C20")
def test_patterns_are_joined_in_byte_order_each_once() -> None:
    assert ("Z", "a", "é", "\uffff", "\U0001f600") == join_patterns(["\U0001f600", "é", "a"], ["\uffff", "Z", "a"])
    assert () == join_patterns((), [])


def test_the_hash_is_plain_blake3() -> None:
    assert blake3.blake3(b"").hexdigest() == "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"


good = {
    "verdict": "satisfied",
    "reviewer": "r",
    "reviewed_at": "2026-01-01T00:00:00Z",
    "note": "n",
    "subject": 3,
    "seen": {},
}


@pytest.mark.req("T49")
def test_a_claim_is_read_and_its_subject_is_not_judged_here() -> None:
    claim, faults = decode_claim(good)
    assert [] == faults
    assert claim is not None
    assert 3 == claim.subject
    assert set(FIELDS) == good.keys()
    assert (None, None) == (decode_claim({"verdict": "violated"})[0] or claim)[1:3]


@pytest.mark.parametrize(
    ("change", "code", "key", "hint"),
    [
        ({"verdict": None}, "missing-key", "verdict", "satisfied"),
        ({"verdict": "ok"}, "invalid-value", "verdict", "satisfied"),
        ({"verdict": ["satisfied"]}, "wrong-type", "verdict", "satisfied"),
        ({"verdict": True}, "wrong-type", "verdict", "satisfied"),
        ({"reviewer": None}, "wrong-type", "reviewer", None),
        ({"note": 1}, "wrong-type", "note", None),
        ({"reviewed_at": 1}, "wrong-type", "reviewed_at", None),
        ({"seen": []}, "wrong-type", "seen", None),
        ({"subjct": {}}, "unknown-key", "subjct", "did you mean `subject`?"),
        ({"zzz": {}}, "unknown-key", "zzz", "known here: `verdict`"),
    ],
)
def test_each_fault_of_a_claim_has_its_code_key_and_next_step(
    change: dict[str, object], code: str, key: str, hint: str | None
) -> None:
    claim, faults = decode_claim({**good, **change})
    assert claim is None
    assert [(code, key)] == [(fault.code, fault.key) for fault in faults]
    assert (hint is None) == (faults[0].hint is None)
    assert hint is None or hint in (faults[0].hint or "")


def test_numbers_and_nouns() -> None:
    assert ["0 files", "1 file", "1,000 files"] == [counted(number, "file") for number in (0, 1, 1000)]
