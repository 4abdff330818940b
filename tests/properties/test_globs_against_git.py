"""Git is asked whether a pattern matches: the dialect is its own, so it is the only fair judge."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import assume, event, example, given, settings
from hypothesis import strategies as st

from snob.ground.globs import GlobError, GlobSet, check_glob, literal_path, literal_prefix

if TYPE_CHECKING:
    from pathlib import Path

FILES = [
    *("a", "b", "ab.x", "srcx.py", "README.md", ".env", "!x", "-r", ":x", "a b", "a\nb", "x]y", "]", "^", "*", "?"),
    *("[", "[a]", "[!a]b", "[:", "a:", "{a,b}", "a-", "a\\b", r"\*", r"\a", "w\t", "w\v", "w\f", "w\x01", "w\x7f"),
    *("é.ts", "é", os.fsdecode(b"\xff"), os.fsdecode(b"a\xffb"), os.fsdecode(b"\xc3"), "0", "Z", "_"),
    *("src/a.py", "src/b.py", "src/.env", "src/.h/a.py", "src/[id].ts", "src/i.ts", "src/*.ts", "src/a/b/c.py"),
    *("srcq/x.py", "srcq/r/x.py", "srcq/srcq/x.py", "src/x.py", "src/é/a", "src/**/a", "src/a b/-r"),
    *("d/a/a/a/a/b", "d/a/b/a/b", "d/aaaaab", "d/abababb", "d/[ab]/a", "d/a*/b", "d/.a/.b/.c", "d/]/[", "d/!/^"),
]
"""Names at which a matcher may stumble; none is a directory of another."""

ATOMS = [
    *("a", "b", "ab", "x", "src", "src", ".", "-", "_", "é", os.fsdecode(b"\xff"), ".py", ".ts", " ", "\n", "]"),
    *("^", "!", ":", "{a,b}", "/", "/", "/", "*", "*", "*", "**", "**", "/**", "**/", "/**/", "***", "?", "?"),
    *("[ab]", "[!a]", "[^b]", "[a-c]", "[]a]", "[!]a]", "[a-]", "[-a]", "[!-a]", "[--0]", "[a-c-e]", "[a/b]"),
    *("[!/]", "[/]", "[*]", "[?]", "[!!]", "[a^]", r"[\]a]", r"[\[-\]]", r"[\*-a]", r"[!\\]", "[é]", "[[:x]", "[[:]"),
    *("[[:alpha:]]", "[![:alnum:]]", "[[:space:]]", "[[:cntrl:]b]", "[[:punct:]]", "[[:graph:]]", "[[:print:]]"),
    *("[[:digit:]-z]", "[[:upper:][:blank:]]", "[[:lower:]]", "[A-[:alpha:]]", f"[a-{os.fsdecode(bytes([255]))}]"),
    *(r"\*", r"\?", r"\[", r"\]", r"\\"),
    *("[", "[!]", "[z-a]", "[[:letter:]]", "\\", r"\a", "//", "/../"),
]
"""What patterns are made of; the last line is of no use on its own."""

REASONS = [
    *("empty", "negation", "absolute", "an empty part", "the part `.", "never closed", "backwards", "unknown"),
    *("a backslash", "longer than"),
]
"""Why a pattern may be refused."""


class Judge(NamedTuple):
    """A repository of `FILES`, and the git that lists them."""

    root: Path
    environment: dict[str, str]

    def git(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Return what `git` prints."""
        command = ["git", "-c", "core.quotePath=false", *arguments]
        done = subprocess.run(
            command, cwd=self.root, env=self.environment, input=stdin, capture_output=True, check=True
        )
        return done.stdout

    def listed(self, pattern: str) -> set[str]:
        """Return the files that git lists for `pattern`."""
        names = self.git("ls-files", "-z", "--", f":(glob){pattern}").split(b"\0")
        return {os.fsdecode(name) for name in names[:-1]}


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    """Build the repository. Its files exist in the index only, so that any file system can carry them."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    judge = Judge(tmp_path_factory.mktemp("judge"), environment)
    judge.git("init", "-q")
    blob = judge.git("hash-object", "-w", "--stdin").strip()
    entries = b"".join(b"100644 %b\t%b\0" % (blob, os.fsencode(name)) for name in FILES)
    judge.git("update-index", "-z", "--index-info", stdin=entries)
    assert judge.listed("**") == set(FILES)
    return judge


def bent(path: str) -> st.SearchStrategy[str]:
    """Return patterns that came from a path by putting atoms in the place of some of its characters."""
    pieces = [st.sampled_from([char, char, char, "*", "?", "**", f"[{char}]", ""]) for char in path]
    return st.tuples(*pieces).map("".join)


parts = st.one_of(st.just("**"), st.lists(st.sampled_from(ATOMS), min_size=1, max_size=2).map("".join))
patterns = st.one_of(
    st.lists(st.sampled_from(ATOMS), max_size=8).map("".join),
    st.lists(parts, min_size=1, max_size=5).map("/".join),
    st.sampled_from(FILES).flatmap(bent),
    st.sampled_from(FILES),
)


def refusal(pattern: str) -> str | None:
    """Return why `pattern` is refused."""
    try:
        check_glob(pattern)
    except GlobError as error:
        return error.reason
    return None


valid_patterns = patterns.filter(lambda pattern: refusal(pattern) is None)


@pytest.mark.req("T43")
@settings(max_examples=300, deadline=None)
@given(pattern=valid_patterns)
@example(pattern="src**/x.py")
@example(pattern="srcq**/srcq**/x.py")
@example(pattern="a**")
@example(pattern="src/[id].ts")
@example(pattern="src/**/a")
@example(pattern="w[[:space:]]")
def test_a_pattern_matches_what_git_lists(judge: Judge, pattern: str) -> None:
    """
    Our matches are those of git, save where the dialect differs on purpose.

    A trailing `/` is ours alone, so git is asked for `/**` in its place. Git also lists what lies below a
    directory whose path equals the pattern as text; it does not say why it lists a file, so those files are
    left out on both sides.
    """
    asked = f"{pattern}**" if pattern.endswith("/") else pattern
    fair = [path for path in FILES if not path.startswith(f"{asked}/")]

    accepted = {path for path, mask in zip(FILES, GlobSet([pattern]).accepted_all(FILES), strict=True) if mask}

    event("matches" if accepted else "matches nothing")
    assert judge.listed(asked).intersection(fair) == accepted.intersection(fair)


@given(pattern=patterns)
def test_a_refusal_has_a_documented_reason(pattern: str) -> None:
    """Nothing is refused but what the formats page says."""
    reason = refusal(pattern)

    assert reason is None or any(documented in reason for documented in REASONS)


@pytest.mark.req("T43")
@settings(max_examples=150, deadline=None)
@given(pieces=st.tuples(patterns, st.sampled_from(["[", "[!]", "[[:letter:]]", "[[::]a]"]), patterns))
def test_a_class_is_refused_only_where_git_makes_nothing_of_it(judge: Judge, pieces: tuple[str, str, str]) -> None:
    """What we call never closed or unknown matches no file in git either, but the one of that very name."""
    pattern = "".join(pieces)
    reason = refusal(pattern) or ""
    assume("never closed" in reason or "unknown" in reason)

    assert {path for path in judge.listed(pattern) if not path.startswith(pattern)} == set()


@settings(deadline=None)
@given(many=st.lists(valid_patterns, max_size=12), paths=st.lists(st.sampled_from(FILES)))
def test_the_bulk_form_says_what_each_pattern_says_alone(many: list[str], paths: list[str]) -> None:
    """What a set has learnt from one path, and what its patterns share, changes no answer."""
    together = GlobSet(many)
    alone = [GlobSet([pattern]) for pattern in together.patterns]

    masks = together.accepted_all(paths)

    assert masks == [sum(one.accepted(path) << index for index, one in enumerate(alone)) for path in paths]
    assert masks == [together.accepted(path) for path in paths]
    assert [mask != 0 for mask in masks] == [together.matches(path) for path in paths]


@settings(deadline=None)
@given(pattern=valid_patterns)
def test_the_literal_beginning_holds_for_every_match(pattern: str) -> None:
    """All matches lie below the literal prefix, and a pattern without wildcards matches one path."""
    accepted = {path for path in FILES if GlobSet([pattern]).matches(path)}

    prefix, only = literal_prefix(pattern), literal_path(pattern)
    assert pattern.startswith(prefix)
    assert not prefix or prefix.endswith("/")
    assert all(path.startswith(prefix) for path in accepted)
    assert only is None or (only == pattern and accepted <= {only})
    assert only is None or GlobSet([pattern]).matches(only)
