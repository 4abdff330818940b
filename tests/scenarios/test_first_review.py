"""A project's first review, walked as the README walks it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from builders.repo import Repo


@pytest.mark.req("F1", "F2", "F5", "F8", "F9", "F10", "F13", "F20", "F21")
def test_from_a_new_project_to_a_review_that_goes_stale_and_comes_back(repo: Repo) -> None:
    # (Owed, Pass, Owed, Pass) init, policy, pending, a claim by hand, an edit, its revert.
    repo.write("src/a.py", "print(1)\n").commit()
    repo.snob("check").exits(2)
    repo.snob("init").exits(0)
    repo.policy()
    pending = repo.snob("pending", "src/a.py").exits(0)
    assert "what" in pending.out
    assert "how" in pending.out
    assert 'content_hash = "blake3:' in pending.out
    repo.snob("check", "src").exits(1)

    repo.reviewed("src/a.py")
    assert repo.status("src/a.py") == "satisfied"
    repo.snob("check").exits(0)

    repo.write("src/a.py", "print(2)\n")
    stale = repo.snob("check", "--format", "json").exits(1).json()["obligations"]
    row = next(row for row in stale if row["rule"] == "p/r")
    assert row["status"] == "stale"
    assert [reason["field"] for reason in row["claims"][0]["reasons"]] == ["content_hash"]
    assert "the file's content changed: recorded blake3:" in repo.snob("check").exits(1).out

    repo.write("src/a.py", "print(1)\n")
    repo.snob("check").exits(0)

    repo.write("src/a.py", "print(1)\r\n")
    reasons = repo.snob("check", "--format", "json").exits(1).json()["obligations"][-1]["claims"][0]["reasons"]
    assert reasons[0]["hint"] == "line-ends"


@pytest.mark.req("F3", "F6", "F11")
def test_a_rule_s_wording_counts_and_its_toml_does_not(repo: Repo) -> None:
    # (Pass, Owed, Pass) comments and quoting change nothing; a reworded rule voids its claims and no others.
    repo.write("src/a.py", "x\n").policy().policy("q")
    repo.reviewed("src/a.py")
    policy = 'match = [ "src/**" ] # where\n[rules.r]\nreview = """\nhow  \r\n"""\n# why\nlevel = "error"\ndescription = \'what\'\n'
    repo.write("snob/policies/p.toml", policy)
    assert repo.status("src/a.py") == "satisfied"
    repo.write("snob/policies/p.toml", policy.replace("what", "what else"))
    row = repo.snob("check", "--format", "json").exits(1).json()["obligations"][0]
    assert ["rule_fingerprint"] == [reason["field"] for reason in row["claims"][0]["reasons"]]
    repo.write("snob/policies/p.toml", policy)
    assert repo.status("src/a.py") == "satisfied"
    repo.entry("src/a.py", "local:c", "q/r")
    row = repo.snob("check", "--format", "json").exits(1).json()["obligations"][1]
    assert row["status"] == "stale"
    assert ["rule", "rule_fingerprint"] == [reason["field"] for reason in row["claims"][0]["reasons"]]


@pytest.mark.req("F4", "F7", "F22")
@pytest.mark.parametrize("change", ["edit", "add", "remove", "patterns"])
def test_context_that_moves_voids_a_review_and_coming_back_restores_it(repo: Repo, change: str) -> None:
    # (Owed, Pass) context edited, added, removed, or its patterns changed; then everything as it was.
    repo.write("src/a.py", "x\n").write("lib/one.py", "1\n").write("lib/two.py", "2\n").write("other.py", "0\n")
    repo.policy(extra='context = ["lib/**"]').reviewed("src/a.py")
    repo.write("other.py", "not declared\n").snob("check").exits(0)
    entry = (repo.root / "snob/reviews/src/a.py.review.toml").read_text()
    match change:
        case "edit":
            repo.write("lib/one.py", "one\n")
        case "add":
            repo.write("lib/three.py", "3\n")
        case "remove":
            repo.remove("lib/one.py")
        case "patterns":
            repo.write("snob/reviews/src/a.py.review.toml", 'context = ["other.py"]\n' + entry)
    row = repo.snob("check", "--format", "json").exits(1).json()["obligations"][0]
    fields = [reason["field"] for reason in row["claims"][0]["reasons"]]
    assert fields == (["context.patterns", "context.digest"] if change == "patterns" else ["context.digest"])
    repo.write("lib/one.py", "1\n").write("lib/two.py", "2\n").write("snob/reviews/src/a.py.review.toml", entry)
    (repo.root / "lib/three.py").unlink(missing_ok=True)
    repo.snob("check").exits(0)
