"""What a pattern matches, what is refused, and that no pattern is slow."""

from __future__ import annotations

import os

import pytest

from snob.ground.globs import (
    MAX_PATTERN_BYTES,
    GlobError,
    GlobSet,
    check_glob,
    literal_path,
    literal_prefix,
    nearest_existing,
)

BYTE_FF = os.fsdecode(b"\xff")
"""A name that is no UTF-8, as it reaches us from the disk."""

MEANINGS = [
    # One name: `*`, `?` and classes stay between two slashes.
    ("*", "a", True),
    ("*", ".env", True),
    ("*", "a/b", False),
    ("*.py", "a.py", True),
    ("*.py", ".py", True),
    ("*.py", "a/b.py", False),
    ("src/*.py", "src/a.py", True),
    ("src/*.py", "src/a/b.py", False),
    ("src/*.py", "x/src/a.py", False),
    ("src/*.py", "SRC/a.py", False),
    ("src/*", "src/.env", True),
    ("src/*", "src/a\nb", True),
    ("a*", "a", True),
    ("a*b*c", "abc", True),
    ("a*b*c", "a-b-b-c", True),
    ("a*b*c", "ac", False),
    ("a*bc*bcd", "abcbcd", True),
    ("a*ab", "ab", False),
    ("?.ts", "a.ts", True),
    ("?.ts", ".ts", False),
    ("a?b", "a/b", False),
    ("a?b", "a\nb", True),
    # Directories: `**` as a whole part.
    ("**", "a", True),
    ("**", "a/b/c", True),
    ("**/x.py", "x.py", True),
    ("**/x.py", "a/b/x.py", True),
    ("**/x.py", "ax.py", False),
    ("src/**", "src", False),
    ("src/**", "src/.h/a.py", True),
    ("src/**", "srcx/a", False),
    ("src/**/*.py", "src/a.py", True),
    ("src/**/*.py", "src/.h/a.py", True),
    ("src/**/a/**/b", "src/a/b", True),
    ("src/**/a/**/b", "src/x/a/y/z/b", True),
    ("src/**/a/**/b", "src/x/b", False),
    ("**/**/a", "a", True),
    ("**/**", "a", True),
    ("a/***/b", "a/b", True),
    ("a/***/b", "a/x/y/b", True),
    ("*/**", "a", False),
    ("*/**", "a/b", True),
    ("**/*", "a", True),
    # `**` within a part is `*` ...
    ("src/a*/x**b", "src/ab/xyb", True),
    ("src/?**b", "src/axx/yb", False),
    ("src/a**b", "src/axxb", True),
    ("src/a**b", "src/axx/yb", False),
    ("**b/c", "ab/c", True),
    ("**b/c", "x/ab/c", False),
    ("[s]rc**/x.py", "srcx/x.py", True),
    ("[s]rc**/x.py", "src/a/x.py", False),
    # ... save that git spans directories where it is the first wildcard of all and ends its part.
    ("src**/x.py", "srcx.py", True),
    ("src**/x.py", "src/x.py", True),
    ("src**/x.py", "srcq/x.py", True),
    ("src**/x.py", "srcq/r/x.py", True),
    ("src**/x.py", "srcq/rx.py", False),
    ("src**/x.py", "sr/x.py", False),
    ("src***/**/***/x.py", "srcx.py", True),
    ("src**/x**/y", "srcxq/y", True),
    ("src**/x**/y", "srcxq/r/y", False),
    ("src**/**x", "srcabx", True),
    ("a/b**", "a/b", True),
    ("a/b**", "a/bc/d", True),
    ("a/b**", "a/c", False),
    ("a/b**/**", "a/b", True),
    (r"a\[b**/c", "a[b/x/c", False),
    # Classes.
    ("src/[id].ts", "src/i.ts", True),
    ("src/[id].ts", "src/x.ts", False),
    ("[!a]", "b", True),
    ("[!a]", "a", False),
    ("[^a]", "a", False),
    ("[^a]", "^", True),
    ("src[!x]a.py", "src/a.py", False),
    ("x[a/b]", "xa", True),
    ("x[a/b]", "xb", True),
    ("x[a/b]", "x/", False),
    ("[/]", "a", False),
    ("[a-c]", "b", True),
    ("[a-c]", "d", False),
    ("[a-c-e]", "-", True),
    ("[a-c-e]", "d", False),
    ("[-a]", "-", True),
    ("[a-]", "-", True),
    ("[!-a]", "-", False),
    ("[--0]", ".", True),
    ("[]a]", "]", True),
    ("[!]a]", "]", False),
    ("[]-a]", "^", True),
    ("[a^]", "^", True),
    (r"[\]a]", "]", True),
    (r"[\[-\]]", "\\", True),
    (r"[!\\]", "\\", False),
    ("[*]", "*", True),
    ("[*]", "a", False),
    ("[[:alpha:]]", "x", True),
    ("[[:alpha:]]", "1", False),
    ("[![:alpha:]_]", "_", False),
    ("[[:digit:][:upper:]]", "Q", True),
    ("[[:digit:]-z]", "-", True),
    ("[[:digit:]-z]", "m", False),
    ("[[:space:]]", "\t", True),
    ("[[:space:]]", "\v", False),
    ("[[:blank:]]", " ", True),
    ("[[:punct:]]", "~", True),
    ("[[:xdigit:]]", "F", True),
    ("[[:print:]]", "\x7f", False),
    ("[[:cntrl:]]", "\x7f", True),
    ("[[:x]", ":", True),
    ("[[:]", "[", True),
    ("[[:]]", ":]", True),
    # Escapes, and characters that are none of ours.
    (r"src/\*.py", "src/*.py", True),
    (r"src/\*.py", "src/a.py", False),
    (r"\[id\].ts", "[id].ts", True),
    (r"\[id\].ts", "i.ts", False),
    (r"a\\b", "a\\b", True),
    (r"a\?", "ab", False),
    ("src/{a,b}.py", "src/a.py", False),
    ("src/{a,b}.py", "src/{a,b}.py", True),
    ("x]y", "x]y", True),
    (":x", ":x", True),
    ("#x", "#x", True),
    ("a!b", "a!b", True),
    # Whole paths only; a trailing slash means everything below.
    ("src", "src/a", False),
    ("src", "src", True),
    ("src/", "src", False),
    ("src/", "src/a", True),
    ("src/", "src/a/b", True),
    ("s*/", "src/a/b", True),
    ("s*/", "s", False),
    ("*/", "a/b", True),
    ("**/", "a", True),
    # A pattern matches itself as text.
    ("src/[id].ts", "src/[id].ts", True),
    ("src/app/[slug]/page.tsx", "src/app/[slug]/page.tsx", True),
    ("[!a]/x", "[!a]/x", True),
    (r"a\*b", r"a\*b", True),
    ("x[a/b]", "x[a/b]", True),
    # Bytes, whatever the characters.
    ("é.ts", "é.ts", True),
    ("?.ts", "é.ts", False),
    ("??.ts", "é.ts", True),
    ("*.ts", "é.ts", True),
    ("[é].ts", "é.ts", False),
    ("[é][é].ts", "é.ts", True),
    ("[[:alpha:]]*.ts", "é.ts", False),
    ("?", BYTE_FF, True),
    ("[!a]", BYTE_FF, True),
    (f"[a-{BYTE_FF}]", BYTE_FF, True),
    (BYTE_FF, BYTE_FF, True),
    (f"*{BYTE_FF}/x", f"a{BYTE_FF}/x", True),
]


@pytest.mark.req("T43")
@pytest.mark.req("C18")
@pytest.mark.parametrize(("pattern", "path", "expected"), MEANINGS)
def test_a_pattern_matches_what_git_matches(pattern: str, path: str, expected: bool) -> None:
    """The table above, alone and among all the other patterns."""
    alone = GlobSet([pattern])
    together = GlobSet(row[0] for row in MEANINGS)

    assert alone.matches(path) is expected
    assert alone.accepted(path) == int(expected)
    assert bool(together.accepted(path) >> together.patterns.index(pattern) & 1) is expected


REFUSALS = [
    ("", "empty"),
    ("/src/a.py", "absolute"),
    ("/", "absolute"),
    ("src//a.py", "empty part"),
    ("src//", "empty part"),
    ("./src/*.py", "part `.`"),
    ("src/./a", "part `.`"),
    ("../a", "part `..`"),
    ("src/..", "part `..`"),
    ("./", "part `.`"),
    ("x[a/./b]", "part `.`"),
    ("x[a//b]", "empty part"),
    ("a\0b", "NUL"),
    ("a" * (MAX_PATTERN_BYTES + 1), "longer than 1,024 bytes"),
    ("é" * (MAX_PATTERN_BYTES // 2) + "x", "longer than 1,024 bytes"),
    ("\ud800", "no file name"),
    ("!src/**", "negation"),
    ("[", "never closed"),
    ("[]", "never closed"),
    ("[!]", "never closed"),
    ("src/[a-", "never closed"),
    ("src/[ab/c", "never closed"),
    ("[[:alpha:]", "never closed"),
    ("[[:alpha:", "never closed"),
    (r"[a\]", "never closed"),
    ("[z-a]", "backwards"),
    ("[a-[:alpha:]]", "backwards"),
    ("[[:letter:]]", "unknown"),
    ("[[::]]", "unknown"),
    ("[[:ALPHA:]]", "unknown"),
    ("src\\a.py", "backslash"),
    ("C:\\src", "backslash"),
    ("a\\", "backslash"),
    ("a\\/b", "backslash"),
    (r"[\d]", "backslash"),
    (r"[a-\d]", "backslash"),
    (r"\!x", "backslash"),
]


@pytest.mark.req("T43")
@pytest.mark.req("C18")
@pytest.mark.parametrize(("pattern", "reason"), REFUSALS)
def test_a_pattern_that_means_nothing_is_refused(pattern: str, reason: str) -> None:
    """The reason names what is wrong, in words that follow "the pattern", and carries no text of the pattern's own."""
    with pytest.raises(GlobError) as caught:
        check_glob(pattern)

    assert reason in caught.value.reason
    assert str(caught.value) == f"the pattern {caught.value.reason}"
    with pytest.raises(GlobError):
        GlobSet(["a", pattern])


@pytest.mark.req("C18")
def test_a_refusal_says_what_to_do_instead() -> None:
    """The two mistakes that people bring from elsewhere are answered with what this dialect has."""
    hints = []
    for pattern in ("!docs/**", "src\\*.py\\x"):
        with pytest.raises(GlobError) as caught:
            check_glob(pattern)
        hints.append(caught.value.hint or "")

    assert "`exclude`" in hints[0]
    assert "`/` separates folders" in hints[1]


@pytest.mark.parametrize(
    "pattern", ["a" * MAX_PATTERN_BYTES, "...", "a..b/.c", "**", "src/", "-r", ":x", "[/.]", "a]", "x!", "{", "\n"]
)
def test_what_only_looks_odd_is_taken(pattern: str) -> None:
    """A name may hold nearly anything."""
    check_glob(pattern)


def test_masks_follow_the_order_of_the_distinct_patterns() -> None:
    """Bit `i` belongs to `patterns[i]`, and a pattern that is given twice counts once."""
    globs = GlobSet(["b/**", "**/*.py", "b/**", "b/x.py", "*"])

    assert globs.patterns == ("b/**", "**/*.py", "b/x.py", "*")
    assert globs.accepted_all(["b/x.py", "x.py", "b/c/d", "c/d"]) == [0b0111, 0b1010, 0b0001, 0]


def test_patterns_of_the_same_bytes_both_match() -> None:
    """A name that was decoded byte by byte is the name that was decoded as UTF-8."""
    globs = GlobSet(["é", os.fsencode("é").decode("ascii", "surrogateescape")])

    assert globs.accepted("é") == 0b11


def test_no_pattern_matches_nothing() -> None:
    """An empty set is a set."""
    assert GlobSet([]).patterns == ()
    assert GlobSet([]).accepted_all(["a", "b/c"]) == [0, 0]


@pytest.mark.req("T58")
@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*a" * 7 + "b", "a" * 120, False),
        ("*a" * 500 + "*b", "a" * 4_000, False),
        ("*a" * 500 + "*b", "a" * 4_000 + "b", True),
        ("*?" * 500 + "b", "a" * 4_000, False),
        ("*[ab]" * 150 + "*c", "ab" * 2_000, False),
        ("**/a/" * 5 + "b", "a/" * 40 + "c", False),
        ("**/a/" * 200 + "b", "a/" * 2_000 + "c", False),
        ("**/a/" * 200 + "b", "a/" * 2_000 + "b", True),
        ("**/*a*a*a*b/" * 80 + "x", "aaaaaaaaaaaaaaaaaaaaaaab/" * 79 + "x", False),
        ("**/*a*a*a*b/" * 80 + "x", "aaaaaaaaaaaaaaaaaaaaaaab/" * 80 + "x", True),
        ("**/" * 300 + "b", "a/" * 2_000 + "b", True),
        ("a" + "**/" * 300 + "b", "a/" * 2_000 + "b", True),
        ("[[:x" * 250 + "]", "[", True),
    ],
)
def test_no_pattern_is_slow(pattern: str, path: str, expected: bool) -> None:
    """A matcher that tries a star again for every later one would not come back from these."""
    assert GlobSet([pattern]).matches(path) is expected


@pytest.mark.req("T58")
def test_many_patterns_are_no_trouble() -> None:
    """The patterns that a path has nothing to do with cost it nothing that grows out of hand."""
    patterns = [f"src/{i % 100}/**/name{i}*.py" for i in range(20_000)]

    globs = GlobSet(patterns)

    assert globs.accepted("src/7/deep/down/name4207x.py") == 1 << 4207
    assert globs.accepted("src/8/deep/down/name4207x.py") == 0


@pytest.mark.parametrize(
    ("pattern", "prefix", "path"),
    [
        ("src/auth/*.py", "src/auth/", None),
        ("src/auth/a.py", "src/auth/", "src/auth/a.py"),
        ("src/auth/", "src/auth/", None),
        ("src/auth**/x", "src/", None),
        ("src/[id].ts", "src/", None),
        (r"src/\[a\]/x", "src/", None),
        ("**/x", "", None),
        ("a.py", "", "a.py"),
        ("x]y/{a}", "x]y/", "x]y/{a}"),
        ("é/*", "é/", None),
    ],
)
def test_the_literal_beginning(pattern: str, prefix: str, path: str | None) -> None:
    """What every match begins with, and the one match of a pattern without wildcards."""
    assert literal_prefix(pattern) == prefix
    assert literal_path(pattern) == path


TREE = sorted(["README.md", "src/auth/login.py", "src/auth/roles.py", "src/auth-old/x.py", "src/main.py", "tests/t.py"])


@pytest.mark.parametrize(
    ("pattern", "near"),
    [
        ("scr/**", "src/"),
        ("src/atuh/*.py", "src/auth/"),
        ("src/Auth/**", "src/auth/"),
        ("src/auth/rolse.py", "src/auth/roles.py"),
        ("readme.md", "README.md"),
        ("src", "src/"),
        ("src/auth", "src/auth/"),
        ("srx/main.py", "src/"),
        ("src/main/*.py", None),
        ("src/auth/*.ts", None),
        ("**/nothing", None),
        ("quite/else", None),
        ("src/quite-else", None),
    ],
)
def test_a_pattern_that_matches_nothing_has_a_near_name(pattern: str, near: str | None) -> None:
    """The first literal part that does not exist is looked for among its neighbours."""
    assert nearest_existing(pattern, TREE) == near


def test_the_search_for_a_near_name_is_bounded() -> None:
    """A large neighbour costs one look, and of a large directory itself no more than the beginning is looked at."""
    many = sorted([*(f"a/{i:06}" for i in range(20_000)), "a/!first", "a/last", "b0/x", "b1/x", "src/x"])

    assert nearest_existing("sr/*", many) == "src/"
    assert nearest_existing("a/!frist", many) == "a/!first"
    assert nearest_existing("a/lasd", many) is None
    assert nearest_existing("a/b", []) is None
