"""Each notice at least once, what it is about, and that none of them fails anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from snob.review.terms import NOTICES

if TYPE_CHECKING:
    from builders.repo import Repo


def told(repo: Repo, *argv: str) -> set[tuple[str, str | None]]:
    """The (code, path) of each notice of a check that passes, told in text too."""
    ran = repo.snob("check", "--format", "json", *argv).exits(0)
    text = repo.snob("check", *argv).exits(0).out
    notices: list[dict[str, Any]] = ran.json()["notices"]
    for notice in notices:
        assert f"{notice['message']} [{notice['code']}]" in text
    assert sorted(notices, key=lambda notice: (notice.get("path", ""), notice["code"])) == notices
    return {(notice["code"], notice.get("path")) for notice in notices}


@pytest.mark.req("C17", "C7", "C10", "C31")
def test_every_notice_has_its_occasion(repo: Repo) -> None:
    # (Pass) one project that has all of them.
    repo.write("src/a.py", "a\n").write("lib/b.py").write("gone/c.py").write("other.py")
    repo.policy(level="warning", extra='context = ["lib/**", "nowhere/**"]').commit()
    repo.reviewed("src/a.py")
    assert {("pattern-matches-nothing", "snob/policies/p.toml")} == told(repo)

    both = '[claims]\n"p/r" = ["local:c", "local:bad"]\n"p/x" = "nobody:1"\n'
    repo.write("snob/reviews/src/a.py.review.toml", both).write(".gitignore", "bad.toml\nhidden.toml\n")
    repo.write("snob/policies/note", "").write("snob/claims/d/note", "").write("snob/reviews/note.toml", "")
    repo.write("snob/policies/hidden.toml", (repo.root / "snob/policies/p.toml").read_text().replace("src/**", "none"))
    repo.write("snob.toml", '[providers.ci]\ncommand = ["true"]\n').write(b"odd\xff")
    repo.write("lib/new.py").write("nested/x").git("init", "-q", "nested")
    repo.git("-C", "nested", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x")
    repo.write("src/.gitattributes", "*.bin filter=lfs\n")
    repo.write("src/x.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    subject = repo.claim("bad", None).subject("src/a.py")
    repo.claim("c", subject).claim("bad", subject, verdict="violated")
    repo.git("update-index", "--skip-worktree", "gone/c.py")
    repo.remove("gone/c.py")
    first = told(repo)
    expected = {
        ("pattern-matches-nothing", "snob/policies/p.toml"),
        ("pattern-matches-nothing", "snob/policies/hidden.toml"),
        ("entry-without-rule", "snob/reviews/src/a.py.review.toml"),
        ("unknown-provider", "snob/reviews/src/a.py.review.toml"),
        ("unused-provider", "snob.toml"),
        ("record-ignored", "snob/claims/bad.toml"),
        ("record-ignored", "snob/policies/hidden.toml"),
        ("stray-file", "snob/policies/note"),
        ("stray-file", "snob/claims/d/note"),
        ("stray-file", "snob/reviews/note.toml"),
        ("odd-file", "odd\\xff"),
        ("nested-repository", "nested/"),
        ("sparse-file", "gone/c.py"),
        ("claims-disagree", "src/a.py"),
        ("lfs-pointer", "src/x.bin"),
        ("context-untracked", "lib/new.py"),
    }
    assert expected == first
    assert ("nothing-owed", "other.py") in told(repo, "other.py")
    for path in ("snob/policies/p.toml", "snob/policies/hidden.toml"):
        repo.write(path, (repo.root / path).read_text().replace("src/**", "none"))
    nothing = told(repo)
    assert ("nothing-judged", None) in nothing
    repo.write("snob.toml", 'ignore = ["**"]\n')
    last = told(repo)
    assert ("ignore-leaves-nothing", "snob.toml") in last
    seen = {code for code, _ in first | nothing | last} | {"nothing-owed"}
    assert NOTICES.keys() == seen


def test_notices_count_in_words_that_agree(repo: Repo) -> None:
    # (Pass) one file, and two.
    repo.write("src/a.py", "a\n").write("one").write("two").policy(extra='context = ["lib/**"]').commit()
    repo.write("lib/b").reviewed("src/a.py")
    repo.git("update-index", "--skip-worktree", "one")
    repo.remove("one")
    text = repo.snob("check").exits(0).out
    assert "leaves out 1 tracked file: not judged" in text
    assert "covers 1 untracked context file, which" in text
    repo.write("lib/c").reviewed("src/a.py").git("update-index", "--skip-worktree", "two")
    repo.remove("two")
    text = repo.snob("check").exits(0).out
    assert "leaves out 2 tracked files: not judged" in text
    assert "covers 2 untracked context files, which" in text


@pytest.mark.req("T47", "C9")
def test_states_of_an_index_are_one_candidate_each_and_read_from_disk(repo: Repo) -> None:
    # (Owed) a conflict of three stages, an intent to add, a file that is gone: no notice, no double.
    repo.write("src/a.py", "base\n").policy().commit()
    repo.git("checkout", "-q", "-b", "other")
    repo.write("src/a.py", "theirs\n").commit()
    repo.git("checkout", "-q", "main")
    repo.write("src/a.py", "ours\n").write("src/gone.py").commit()
    with pytest.raises(AssertionError):
        repo.git("merge", "-q", "other")
    repo.write("src/new.py", "n\n").git("add", "-N", "src/new.py")
    repo.remove("src/gone.py")
    ran = repo.snob("check", "--format", "json").exits(1)
    assert ["src/a.py", "src/new.py"] == [row["path"] for row in ran.json()["obligations"]]
    assert [] == ran.notice_codes()
    before = repo.subject("src/a.py")["content_hash"]
    assert before != repo.write("src/a.py", "base\n").subject("src/a.py")["content_hash"]


@pytest.mark.req("C9", "T35")
def test_a_link_is_its_text_and_a_file_of_that_text_is_another_thing(repo: Repo) -> None:
    # (Pass, Owed) retargeted, its target edited, replaced by a file that holds the link's text.
    repo.write("src/target.py", "t\n").symlink("src/link", "target.py").policy(match='["src/link"]').reviewed(
        "src/link"
    )
    repo.write("src/target.py", "edited\n").snob("check").exits(0)
    repo.remove("src/link").symlink("src/link", "target2.py").snob("check").exits(1)
    repo.remove("src/link").write("src/link", "target.py").snob("check").exits(1)
    repo.remove("src/link").symlink("src/link", "target.py").snob("check").exits(0)
