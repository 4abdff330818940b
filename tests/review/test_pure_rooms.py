"""The rooms that decide, as functions."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snob.ground.canonical import frame
from snob.ground.digests import bucket_digest, bucket_of, content_hash, pair_frame, set_digest
from snob.ground.globs import GlobSet
from snob.ground.hashing import ABSENT
from snob.review.contexts import Contexts
from snob.review.freshness import differences
from snob.review.judge import disagree, judge
from snob.review.line_ends import hashes_of_other_line_ends
from snob.review.obligations import expand
from snob.review.review_files import parse_reference
from snob.review.subjects import encode_subject
from snob.review.terms import Claim, ClaimRef, Context, Level, Rule, Scope, Standing, Subject, Verdict

SUBJECT = Subject("a", "blake3:1", "p/r", "blake3:2", Context(("x", "y"), "blake3:3"))


def rule(*matches: tuple[str, ...], exclude: tuple[str, ...] = ()) -> Rule:
    """A rule with a scope."""
    return Rule("p/r", Level.ERROR, "d", "v", (), "blake3:2", Scope(matches, exclude), "snob/policies/p.toml")


def claim(verdict: Verdict, *, current: bool) -> Claim:
    """A claim on the subject, or on another content."""
    subject = encode_subject(SUBJECT if current else SUBJECT._replace(content_hash="blake3:0"))
    return Claim(verdict, subject, None, None, None)


@pytest.mark.req("F1", "F13")
def test_where_an_obligation_stands_is_a_table() -> None:
    kinds = {
        "good": claim(Verdict.SATISFIED, current=True),
        "bad": claim(Verdict.VIOLATED, current=True),
        "old good": claim(Verdict.SATISFIED, current=False),
        "old bad": claim(Verdict.VIOLATED, current=False),
        "unknown": None,
    }
    for names in [(), *product(kinds), *product(kinds, kinds), *product(kinds, kinds, kinds)]:
        refs = [ClaimRef("local", str(number)) for number in range(len(names))]
        known = {ref: found for ref, name in zip(refs, names, strict=True) if (found := kinds[name]) is not None}
        row = judge(rule(("a",)), SUBJECT, refs, known)
        if "good" in names:
            expected = Standing.SATISFIED
        elif "bad" in names:
            expected = Standing.VIOLATED
        elif {"old good", "old bad"} & set(names):
            expected = Standing.STALE
        else:
            expected = Standing.MISSING
        assert expected is row.standing, names
        assert ({"good", "bad"} <= set(names)) == disagree(row)


values = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=3), st.lists(st.text(max_size=2), max_size=2)
)


@pytest.mark.req("F1", "F13", "T49")
@given(st.dictionaries(st.sampled_from(["path", "content_hash", "rule", "rule_fingerprint", "deleted", "x"]), values))
def test_only_the_very_subject_is_current(change: dict[str, object]) -> None:
    good = encode_subject(SUBJECT)
    recorded = {**good, **change}
    fields = {difference.field for difference in differences(SUBJECT, recorded)}
    assert {field for field, value in change.items() if field not in good or good[field] != value} == fields


@pytest.mark.req("F1", "T49")
@pytest.mark.parametrize("context", [None, SUBJECT.context])
def test_a_null_is_a_field_and_never_passes_for_an_absent_one(context: Context | None) -> None:
    expected = SUBJECT._replace(context=context)
    good = encode_subject(expected)
    assert () == differences(expected, good)
    assert ["extra"] == [d.field for d in differences(expected, {**good, "extra": None})]
    assert ["deleted"] == [d.field for d in differences(expected, {**good, "deleted": None})]
    assert ["context"] == [d.field for d in differences(expected, {**good, "context": None})]
    if context is not None:
        more = {**good["context"], "extra": None}
        assert ["context.extra"] == [d.field for d in differences(expected, {**good, "context": more})]


@pytest.mark.req("F12", "F23")
def test_a_claim_without_a_subject_or_of_another_kind_is_stale() -> None:
    kinds: tuple[object, ...] = (None, "x", 3, [])
    for nothing in kinds:
        assert ["subject"] == [difference.field for difference in differences(SUBJECT, nothing)]
    good = encode_subject(SUBJECT)
    assert () == differences(SUBJECT, good)
    assert ["context"] == [d.field for d in differences(SUBJECT._replace(context=None), good)]
    assert ["context"] == [d.field for d in differences(SUBJECT, {**good, "context": "x"})]
    assert ["deleted"] == [d.field for d in differences(SUBJECT, {**good, "deleted": True})]
    deletion = SUBJECT._replace(deleted=True)
    assert ["deleted"] == [d.field for d in differences(deletion, good)]
    assert ["deleted"] == [d.field for d in differences(deletion, {**good, "deleted": 1})]
    assert () == differences(deletion, {**good, "deleted": True})


names = st.sampled_from(["a", "b", "a/a", "a/b", "b/a", "b/b/a", "c/d", "é/a"])
patterns = st.sampled_from(["**", "a", "a/*", "**/a", "b/**", "c/", "é/*", "x/**"])


@pytest.mark.req("F22", "C29")
@given(
    st.sets(names, min_size=1),
    st.lists(patterns, min_size=1, max_size=3, unique=True),
    st.sets(st.integers(0, 7)),
    st.data(),
)
def test_a_context_digest_is_the_naive_one(
    paths: set[str], wanted: list[str], records: set[int], data: st.DataObject
) -> None:
    ordered = sorted(paths)
    hashes = [data.draw(st.sampled_from([ABSENT, content_hash(b"1"), content_hash(b"2")])) for _ in ordered]
    without = data.draw(st.sampled_from([None, *range(len(ordered))]))
    contexts = Contexts(ordered, frozenset(records))
    contexts.find(wanted)
    contexts.hashed(hashes)
    globs = GlobSet(wanted)
    members = [
        index
        for index, path in enumerate(ordered)
        if globs.matches(path) and index not in records and index != without and hashes[index] != ABSENT
    ]
    buckets: list[list[bytes]] = [[] for _ in range(256)]
    for index in sorted(members, key=lambda index: ordered[index].encode()):
        buckets[bucket_of(ordered[index])].append(pair_frame(ordered[index], hashes[index]))
    for _ in range(2):
        assert (
            set_digest([bucket_digest(frames) for frames in buckets]) == contexts.context(tuple(wanted), without).digest
        )


@given(
    st.lists(names, max_size=8, unique=True),
    st.lists(
        st.tuples(
            st.lists(st.lists(patterns, min_size=1, max_size=2), min_size=1, max_size=2), st.lists(patterns, max_size=1)
        ),
        max_size=4,
    ),
)
def test_rules_apply_where_every_list_matches_and_no_exclude_does(
    paths: list[str], scopes: list[tuple[list[list[str]], list[str]]]
) -> None:
    rules = [rule(*map(tuple, matches), exclude=tuple(exclude)) for matches, exclude in scopes]
    found = expand(rules, sorted(paths))
    for path, numbers in zip(sorted(paths), found.rules_of, strict=True):
        naive = tuple(
            number
            for number, (matches, exclude) in enumerate(scopes)
            if all(GlobSet(one).matches(path) for one in matches) and not GlobSet(exclude).matches(path)
        )
        assert naive == numbers
    used = {pattern for matches, _ in scopes for one in matches for pattern in one}
    assert {p for p in used if not any(GlobSet([p]).matches(path) for path in paths)} == set(found.idle_patterns)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("local:a", ("local", "a")),
        ("local:a/b.c-d_e", ("local", "a/b.c-d_e")),
        ("ci:any text: even so", ("ci", "any text: even so")),
        ("local:../x", None), ("local:a//b", None), ("local:/a", None), ("local:.a", None), ("local:a\n", None), ("local:", None),
        ("a", None), (":a", None), ("ci:\x1b[2J", None), ("local:a/", None), ("local:a\\b", None),
    ],
)  # fmt: skip
@pytest.mark.req("T49")
def test_claim_references(text: str, expected: tuple[str, str] | None) -> None:
    assert expected == parse_reference(text)


@pytest.mark.req("C1", "F8")
@pytest.mark.parametrize("size", [1 << 20, (1 << 20) - 1, 5])
def test_other_line_ends_are_found_wherever_they_stand(size: int) -> None:
    unix = b"x" * (size - 1) + b"\n" + b"y\n"
    dos = unix.replace(b"\n", b"\r\n")
    mixed = unix.replace(b"y\n", b"y\r\n")
    assert {content_hash(dos)} == hashes_of_other_line_ends(unix)
    assert {content_hash(unix)} == hashes_of_other_line_ends(dos)
    assert {content_hash(unix), content_hash(dos)} == hashes_of_other_line_ends(mixed)
    assert frozenset() == hashes_of_other_line_ends(b"no end")


def test_a_frame_is_what_the_digest_stands_on() -> None:
    assert frame(b"a") + frame(b"b") == pair_frame("a", "b")
