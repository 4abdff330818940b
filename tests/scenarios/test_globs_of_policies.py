"""Patterns as a user writes them, through the whole command (C18, T43)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from builders.repo import Repo

FILES = ["a.ts", ".h.ts", "src/a.ts", "src/.a.ts", "src/.h/a.ts", "src/x/y/a.ts", "src/app/[slug]/page.tsx", "src/app/s/page.tsx", "{a,b}.ts", "lib/é.ts"]  # fmt: skip
TABLE = {
    "*": ["a.ts", ".h.ts", "{a,b}.ts"],
    "src/*": ["src/a.ts", "src/.a.ts"],
    "**/a.ts": ["a.ts", "src/a.ts", "src/.h/a.ts", "src/x/y/a.ts"],
    "src/**": [path for path in FILES if path.startswith("src/")],
    "src/": [path for path in FILES if path.startswith("src/")],
    "src/app/[slug]/page.tsx": ["src/app/[slug]/page.tsx", "src/app/s/page.tsx"],
    "src/app/\\[slug\\]/**": ["src/app/[slug]/page.tsx"],
    "{a,b}.ts": ["{a,b}.ts"],
    "[!a].ts": [],
    "src/**/a.ts": ["src/a.ts", "src/.h/a.ts", "src/x/y/a.ts"],
    "lib/??.ts": ["lib/é.ts"],
    "A.ts": [],
}
REFUSED = ["!a.ts", "./a.ts", "/a.ts", "src\\\\a.ts", "a//b", "../a", "[z-a]", "[a", "", "x" * 1025]


@pytest.mark.req("C18", "T43")
def test_each_pattern_matches_what_the_table_says_in_git_and_outside(repo: Repo, plain: Repo) -> None:
    # (Owed) one rule per pattern, all judged at once.
    rules = "".join(
        f'[rules.r{number}]\ndescription = "d"\nreview = "v"\nmatch = [\'{pattern}\']\n'
        for number, pattern in enumerate(TABLE)
    )
    for project in (repo, plain):
        for path in FILES:
            project.write(path)
        found = project.write("snob/policies/p.toml", rules).snob("check", "--format", "json").exits(1).statuses()
        for number, (pattern, expected) in enumerate(TABLE.items()):
            assert sorted(expected) == sorted(path for path, rule in found if rule == f"p/r{number}"), pattern
    repo.commit()
    assert list(found) == list(repo.snob("check", "--format", "json").exits(1).statuses())
    literal = repo.snob("pending", "--format", "json", "src/app/[slug]/page.tsx").exits(0).statuses()
    assert {"src/app/[slug]/page.tsx"} == {path for path, _ in literal}


@pytest.mark.req("C18", "T43")
def test_what_is_no_pattern_is_refused_wherever_it_stands_and_all_at_once(repo: Repo) -> None:
    # (No verdict) every bad pattern of four lists is a problem with its key.
    lists = "[" + ", ".join(f'"{pattern}"' for pattern in REFUSED) + "]"
    repo.write("src/a.ts").write("snob.toml", f"ignore = {lists}\n").write(
        "snob/policies/p.toml",
        f'match = {lists}\n[rules.r]\ndescription = "d"\nreview = "v"\nexclude = {lists}\ncontext = {lists}\n',
    )
    errors = repo.snob("check", "--format", "json").exits(2).json()["errors"]
    assert {"invalid-value"} == {error["code"] for error in errors}
    for key in ("ignore", "match", "rules.r.exclude", "rules.r.context"):
        assert len(REFUSED) == len([error for error in errors if error.get("key") == key]), key
    assert {1, 5, 6} == {error["line"] for error in errors}


@pytest.mark.req("C17")
def test_nothing_to_judge_is_seen_in_text_and_in_json(repo: Repo) -> None:
    # (Pass) a misspelt match: no quiet pass.
    repo.write("src/a.ts").policy(match='["scr/**"]', extra='context = ["sr/**"]')
    ran = repo.snob("check", "--format", "json").exits(0)
    assert ["nothing-judged", "pattern-matches-nothing", "pattern-matches-nothing"] == ran.notice_codes()
    assert 0 == ran.json()["summary"]["obligations"]
    assert "near it is src/" in " ".join(notice["message"] for notice in ran.json()["notices"])
    told = repo.snob("check").exits(0).out
    assert "0 obligations: nothing was judged" in told
    assert "pass" not in told
