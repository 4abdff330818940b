"""What is judged, what is not, and what the run says of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from builders.repo import SNOB

if TYPE_CHECKING:
    from pathlib import Path

    from builders.repo import Repo


def reasons(repo: Repo, path: str = "src/a.py") -> list[str]:
    """The fields of the reasons of the first claim of one obligation."""
    rows = repo.snob("check", "--format", "json").exits(1).json()["obligations"]
    row = next(row for row in rows if row["path"] == path)
    assert "stale" == row["status"]
    return [reason["field"] for reason in row["claims"][0]["reasons"]]


@pytest.mark.req("F1", "F11", "F12", "F13", "T49")
def test_a_claim_counts_only_where_every_field_of_its_subject_is_equal(repo: Repo) -> None:
    repo.write("src/a.py", "a\n").write("src/b.py", "b\n").policy(extra='context = ["src/b.py"]')
    good = repo.subject("src/a.py")
    repo.entry("src/a.py", "local:c")
    repo.claim("c", None)
    assert ["subject"] == reasons(repo)
    for field in ("path", "content_hash", "rule", "rule_fingerprint"):
        repo.claim("c", {**good, field: "x"})
        assert [field] == reasons(repo)
        repo.claim("c", {name: value for name, value in good.items() if name != field})
        assert [field] == reasons(repo)
    repo.claim("c", {**good, "deleted": True})
    assert ["deleted"] == reasons(repo)
    repo.claim("c", {**good, "extra": 1})
    assert ["extra"] == reasons(repo)
    repo.claim("c", {name: value for name, value in good.items() if name != "context"})
    assert ["context"] == reasons(repo)
    repo.claim("c", {**good, "context": {**good["context"], "patterns": ["src/b.py", "src/b.py"]}})
    assert ["context.patterns"] == reasons(repo)
    odd: list[object] = [[], [["x"]], 1.5, True, ""]
    for value in odd:
        for field in ("path", "content_hash", "rule", "rule_fingerprint"):
            repo.claim("c", {**good, field: value})
            assert [field] == reasons(repo)
            repo.snob("pending").exits(0)
    repo.claim("c", {**good, "path": 1, "rule": True})
    assert ["path", "rule"] == reasons(repo)
    repo.claim("c", repo.subject("src/b.py"))
    assert ["path", "content_hash", "context.digest"] == reasons(repo)
    repo.claim("c", good)
    assert "satisfied" == repo.status("src/a.py")


def test_claims_that_are_looked_up_must_be_claims_and_others_are_not_opened(repo: Repo) -> None:
    repo.write("src/a.py", "a\n").policy().reviewed("src/a.py")
    claim = (repo.root / "snob/claims/c.toml").read_text()
    repo.write("snob/claims/other.toml", "no toml")
    repo.snob("check").exits(0)
    for text, code in (
        (claim.replace('verdict = "satisfied"', ""), "missing-key"),
        (claim.replace('"satisfied"', '"fine"'), "invalid-value"),
        ("verdit = 1\n" + claim, "unknown-key"),
        (claim.replace('"alex@example.org"', "3"), "wrong-type"),
        ("=", "undecodable"),
    ):
        repo.write("snob/claims/c.toml", text)
        assert code in repo.snob("check", "--format", "json").exits(2).error_codes()
    repo.remove("snob/claims/c.toml")
    row = repo.snob("check", "--format", "json").exits(1).json()["obligations"][0]
    assert ("missing", False) == (row["status"], row["claims"][0]["found"])
    repo.write("snob/reviews/src/a.py.review.toml", '[claims]\n"p/r" = "local:../../x"\n')
    assert ["invalid-value"] == repo.snob("check", "--format", "json").exits(2).error_codes()


def test_a_violated_claim_fails_and_a_satisfied_one_beside_it_wins_with_a_notice(repo: Repo) -> None:
    repo.write("src/a.py", "a\n").policy()
    subject = repo.subject("src/a.py")
    repo.claim("bad", subject, verdict="violated").entry("src/a.py", "local:bad")
    assert "violated" == repo.status("src/a.py")
    repo.snob("check").exits(1)
    repo.claim("good", subject).write(
        "snob/reviews/src/a.py.review.toml", '[claims]\n"p/r" = ["local:bad", "local:good"]\n'
    )
    ran = repo.snob("check", "--format", "json").exits(0)
    assert ["claims-disagree"] == ran.notice_codes()


@pytest.mark.req("F75", "F76", "F77", "T44")
def test_a_review_file_needs_its_source_or_the_marker_and_never_both(repo: Repo) -> None:
    repo.write("src/a.py", "a\n").policy().write(".gitignore", "ignored.py\n").reviewed("src/a.py")
    repo.write("snob/reviews/src/gone.py.review.toml", '[claims]\n"p/r" = "nobody:1"\n')
    refused = repo.snob("check", "--format", "json").exits(2)
    assert ["no-source"] == refused.error_codes()
    assert "deleted = true" in refused.json()["errors"][0]["hint"]
    repo.write("snob/reviews/src/gone.py.review.toml", 'deleted = true\n[claims]\n"p/r" = "nobody:1"\n')
    repo.snob("check").exits(0)
    repo.write("src/gone.py")
    assert ["source-exists"] == repo.snob("check", "--format", "json").exits(2).error_codes()
    repo.remove("src/gone.py").write("ignored.py").write("snob/reviews/ignored.py.review.toml", "deleted = true\n")
    assert ["source-exists"] == repo.snob("check", "--format", "json").exits(2).error_codes()
    repo.remove("snob/reviews/ignored.py.review.toml").write("src/real.py").write(
        "snob/reviews/src/reel.py.review.toml", "deleted = true\n"
    )
    assert "missing" == repo.status("src/real.py")


@pytest.mark.req("T35", "T36", "T37", "C9", "C10")
def test_links_and_submodules_are_what_they_are_and_never_what_they_point_to(repo: Repo, tmp_path: Path) -> None:
    repo.write("src/a.py", "a\n").write("copy.py", "a\n").symlink("src/out", "/etc/hostname").symlink(
        "src/dangling", "nowhere"
    )
    repo.symlink("src/loop", "loop").symlink("src/folder", "..").policy().commit()
    hashes = {
        path: repo.subject(path)["content_hash"] for path in ("src/out", "src/dangling", "src/loop", "src/folder")
    }
    assert {"blake3-symlink"} == {value.partition(":")[0] for value in hashes.values()}
    repo.reviewed("src/a.py")
    repo.remove("src/a.py").symlink("src/a.py", "../copy.py")
    assert ["content_hash"] == reasons(repo)
    repo.remove("src/a.py").write("src/a.py", "a\n")
    assert "satisfied" == repo.status("src/a.py")

    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},src/sub")
    repo.write("src/sub/inside.py")
    before = repo.subject("src/sub")["content_hash"]
    assert before.startswith("blake3-gitlink:")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'2' * 40},src/sub")
    assert before != repo.subject("src/sub")["content_hash"]

    (repo.root / "src").rename(repo.root / "real")
    repo.symlink("src", "real").remove("snob/reviews/src/a.py.review.toml")
    assert "src/a.py" not in {path for path, _ in repo.snob("check", "--format", "json", "copy.py").exits(0).statuses()}


@pytest.mark.req("T32", "T47")
def test_candidates_are_tracked_files_and_those_that_git_does_not_ignore(repo: Repo) -> None:
    repo.write(".gitignore", "*.log\n").write("src/a.py").write("src/kept.log").policy().write(
        "snob.toml", 'ignore = ["src/gen/**"]\n'
    )
    repo.git("add", "-f", "src/kept.log")
    repo.commit()
    repo.write("src/new.py").write("src/no.log").write("src/gen/g.py").write("nested/f.py").write("src/gone.py")
    repo.git("add", "src/gone.py")
    repo.remove("src/gone.py").git("init", "-q", "nested")
    repo.git("-C", "nested", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x")
    ran = repo.snob("check", "--format", "json").exits(1)
    assert {"src/a.py", "src/kept.log", "src/new.py"} == {path for path, _ in ran.statuses()}
    assert ["nested-repository"] == ran.notice_codes()
    assert 6 == ran.json()["summary"]["candidates"]


def test_outside_git_every_file_is_a_candidate(plain: Repo) -> None:
    plain.write("src/a.py").write("src/.hidden").symlink("src/link", "a.py").policy()
    ran = plain.snob("check", "--format", "json").exits(1)
    assert {"src/a.py", "src/.hidden", "src/link"} == {path for path, _ in ran.statuses()}


@pytest.mark.req("C7")
def test_a_sparse_checkout_is_told_and_its_files_are_not_judged(repo: Repo) -> None:
    repo.write("src/a.py").write("lib/b.py").policy(match='["**/*.py"]').commit()
    repo.git("sparse-checkout", "set", "src", "snob")
    ran = repo.snob("check", "--format", "json").exits(1)
    assert [("src/a.py", "p/r")] == list(ran.statuses())
    assert ["sparse-file"] == ran.notice_codes()


@pytest.mark.req("F22", "C17", "C18")
def test_records_are_no_context_and_a_context_that_matches_nothing_is_not_none(repo: Repo) -> None:
    repo.write("src/a.py", "a\n").policy(extra='context = ["**"]').reviewed("src/a.py")
    repo.snob("check").exits(0)
    repo.policy(extra='context = ["src/auht/**"]').write("src/auth/x.py")
    ran = repo.snob("check", "--format", "json").exits(1)
    assert ["pattern-matches-nothing"] == ran.notice_codes()
    assert "src/auth/" in ran.json()["notices"][0]["message"]
    assert ["src/auht/**"] == repo.subject("src/auth/x.py")["context"]["patterns"]


def test_each_notice_is_told_and_fails_nothing(repo: Repo) -> None:
    repo.write("src/a.py", "a\n").policy().reviewed("src/a.py").write(".gitignore", "c.toml\n").commit()
    repo.write("snob.toml", '[providers.ci]\ncommand = ["true"]\n')
    repo.write("snob/policies/README", "x").write("snob/reviews/notes.txt", "x").write("snob/claims/c.txt", "x")
    repo.write("other.py").write("snob/reviews/other.py.review.toml", '[claims]\n"p/r" = "nobody:1"\n')
    repo.write("snob/policies/q.toml", 'match = ["scr/**"]\n[rules.r]\ndescription = "d"\nreview = "v"\n')
    repo.write(".gitattributes", "*.bin filter=lfs\n").write(
        "src/x.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n"
    )
    repo.reviewed("src/x.bin", claim_id="x")
    ran = repo.snob("check", "--format", "json").exits(0)
    expected = [
        "entry-without-rule",
        "lfs-pointer",
        "pattern-matches-nothing",
        "record-ignored",
        "stray-file",
        "unknown-provider",
        "unused-provider",
    ]
    assert expected == sorted(set(ran.notice_codes()))
    assert 3 == ran.notice_codes().count("stray-file")
    told = repo.snob("check").exits(0).out
    assert "[unused-provider]" in told
    assert ["nothing-owed"] == repo.snob("check", "--format", "json", "other.py").exits(0).notice_codes()[
        -1:
    ] or "nothing-owed" in repo.snob("check", "--format", "json", "other.py").notice_codes()
    repo.write("snob.toml", 'ignore = ["**"]\n')
    assert {"ignore-leaves-nothing", "nothing-judged"} <= set(
        repo.snob("check", "--format", "json").exits(0).notice_codes()
    )
    assert "0 obligations: nothing was judged" in repo.snob("check").exits(0).out


def test_an_untracked_context_file_under_a_claim_is_told(repo: Repo) -> None:
    repo.write("src/a.py", "a\n").policy(extra='context = ["lib/**"]').commit()
    repo.write("lib/b.py").reviewed("src/a.py")
    assert ["context-untracked"] == repo.snob("check", "--format", "json").exits(0).notice_codes()


def test_paths_are_literal_and_relative_to_the_working_directory(repo: Repo) -> None:
    repo.write("src/[id].py").write("src/i.py").write("src/sub/b.py").policy().commit()
    assert [("src/[id].py", "p/r")] == list(repo.snob("check", "--format", "json", "src/[id].py").exits(1).statuses())
    assert [("src/sub/b.py", "p/r")] == list(
        repo.snob("check", "--format", "json", ".", cwd="src/sub").exits(1).statuses()
    )
    assert 3 == len(repo.snob("check", "--format", "json", "..", cwd="src/sub").exits(1).statuses())
    assert 3 == len(repo.snob("check", "--format", "json", cwd="src/sub").exits(1).statuses())
    assert 3 == len(repo.snob("check", "--format", "json", "--project", "..", cwd="src").exits(1).statuses())


def test_a_warning_fails_only_where_it_is_asked_to(repo: Repo) -> None:
    repo.write("src/a.py").policy(level="warning")
    assert "1 warning" in repo.snob("check").exits(0).out
    repo.snob("check", "--fail-on", "warning").exits(1)
    repo.snob("pending", "--fail-on", "warning").exits(0)


@pytest.mark.req("F61")
def test_config_replaces_the_settings_and_nothing_else(repo: Repo, tmp_path: Path) -> None:
    repo.write("src/a.py").write("src/b.py").policy().write("snob.toml", 'ignore = ["src/**"]\n').commit()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/strict.toml").write_text('ignore = ["src/b.py"]\n')
    repo.snob("check").exits(0)
    ran = repo.snob("check", "--format", "json", "--config", "../../outside/strict.toml", cwd="src").exits(1)
    assert [("src/a.py", "p/r")] == list(ran.statuses())
    (tmp_path / "outside/strict.toml").write_text("x = 1\n")
    refused = repo.snob("check", "--format", "json", "--config", str(tmp_path / "outside/strict.toml")).exits(2)
    assert "strict.toml" in refused.json()["errors"][0]["path"]


@pytest.mark.req("C22", "F5")
def test_a_check_writes_nothing_and_two_runs_print_the_same_bytes(repo: Repo) -> None:
    repo.write("src/a.py", "a\n").policy().reviewed("src/a.py").commit()
    before = {path: state for path, state in repo.digest().items() if "snob-stat" not in path}
    outputs = set()
    for command in ("check", "pending", "check", "pending"):
        ran = repo.snob(command, "--format", "json", "--no-cache").exits(0)
        outputs.add((command, json.dumps({**ran.json(), "generated_at": ""})))
        repo.snob("explain", "src/a.py", "--no-cache").exits(0)
    assert 2 == len(outputs)
    repo.snob("check").exits(0)
    after = {path: state for path, state in repo.digest().items() if "snob-stat" not in path}
    assert before == after


@pytest.mark.req("T63")
def test_the_cache_never_changes_a_verdict(repo: Repo) -> None:
    repo.write("src/a.py", "one\n").policy().reviewed("src/a.py")
    old = 1_600_000_000_000_000_000
    os.utime(repo.root / "src/a.py", ns=(old, old))
    for _ in range(2):
        repo.snob("check").exits(0)
    repo.write("src/a.py", "two\n")
    os.utime(repo.root / "src/a.py", ns=(old, old))
    repo.snob("check").exits(1)
    repo.write("src/other", "one\n")
    os.utime(repo.root / "src/other", ns=(old, old))
    (repo.root / "src/other").rename(repo.root / "src/a.py")
    repo.snob("check").exits(0)
    for cache in repo.root.glob(".git/snob-stat*"):
        cache.write_bytes(cache.read_bytes()[:-3] + b"xxx")
    repo.snob("check").exits(0)


@pytest.mark.req("T62", "C23")
def test_accidents_never_look_like_a_verdict(repo: Repo) -> None:
    for number in range(1500):
        repo.write(f"src/{'x' * 100}{number}.py")
    repo.policy()
    with subprocess.Popen(
        [SNOB, "check", "-v"], cwd=repo.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        process.stdout.close()
        process.wait()
    assert 2 == process.returncode
    closed = subprocess.run(["sh", "-c", f"{SNOB} check >&-"], cwd=repo.root, capture_output=True, check=False)
    assert 2 == closed.returncode
    assert 2 == repo.snob("check", "--output", "/nowhere/report.json").code
    if os.path.exists("/dev/full"):
        full = subprocess.run(
            ["sh", "-c", f"{SNOB} check --format json >/dev/full"], cwd=repo.root, capture_output=True, check=False
        )
        assert 2 == full.returncode


@pytest.mark.req("T62")
def test_an_interrupt_ends_with_130(repo: Repo) -> None:
    repo.write("src/a.py").policy().entry("src/a.py", "slow:1")
    repo.write("snob.toml", '[providers.slow]\ncommand = ["sh", "-c", "echo >started; sleep 60"]\n')
    with subprocess.Popen([SNOB, "check"], cwd=repo.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while not (repo.root / "started").exists():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        process.wait()
    assert 130 == process.returncode


def test_a_report_goes_to_the_output_file_and_an_error_report_replaces_it(repo: Repo) -> None:
    repo.write("src/a.py").policy()
    assert "" == repo.snob("check", "--format", "json", "--output", "report.json").exits(1).out
    assert 1 == json.loads((repo.root / "report.json").read_text())["summary"]["missing"]
    repo.write("snob.toml", "x = 1\n").snob("check", "--format", "json", "--output", "report.json").exits(2)
    assert ["unknown-key"] == [error["code"] for error in json.loads((repo.root / "report.json").read_text())["errors"]]


def test_explain_tells_why_of_files_and_of_rules(repo: Repo) -> None:
    repo.write("src/a.py").write("src/b.py").write("lib/c.py").policy(
        extra='context = ["lib/**"]', more='exclude = ["src/b.py"]'
    )
    told = repo.snob("explain", "src/a.py").exits(0).out
    assert "applies by src/**" in told
    assert "would match, but is excluded by src/b.py" in repo.snob("explain", "src/b.py").exits(0).out
    assert "it is context of 1 review" in repo.snob("explain", "lib/c.py").exits(0).out
    rule = repo.snob("explain", "p/r", "--format", "json").exits(0).json()["rule"]
    assert (["src/a.py"], ["lib/c.py"]) == (rule["files"], rule["context_files"])
    repo.write("snob.toml", 'ignore = ["src/b.py"]\n')
    assert "`ignore` leaves it out" in repo.snob("explain", "src/b.py").exits(0).out


def test_init_writes_once_and_overwrites_nothing(repo: Repo) -> None:
    repo.write("a.py").write("b.py").write("c.sh")
    repo.snob("init").exits(0)
    assert '"**/*.py"' in (repo.root / "snob/policies/first.toml").read_text()
    repo.snob("check").exits(0)
    before = repo.digest()
    assert ["exists", "exists"] == repo.snob("init", "--format", "json").exits(2).error_codes()
    assert before == repo.digest()


def test_an_output_that_is_no_regular_file_stays_what_it_is(repo: Repo) -> None:
    repo.write("src/a.py").policy().write("old", "x").symlink("link", "old")
    (repo.root / "old").chmod(0o600)
    repo.snob("check", "--output", "link").exits(1)
    assert (repo.root / "link").is_symlink()
    assert "missing" in (repo.root / "old").read_text()
    assert 0o600 == (repo.root / "old").stat().st_mode & 0o777
    os.mkfifo(repo.root / "fifo")
    repo.snob("check", "--output", "fifo").exits(2)
    assert (repo.root / "fifo").is_fifo()
    repo.snob("check", "--output", "/dev/null").exits(1)
    assert os.path.exists("/dev/null")
    assert not os.path.isfile("/dev/null")
    assert "missing" in repo.snob("check", "--output", "/dev/stdout").exits(1).out
    repo.snob("check", "--output", "src").exits(2)
    repo.write("keep", "x").snob("init", "--", "--format=json", "--output=keep").exits(2)
    assert "x" == (repo.root / "keep").read_text()


def test_an_older_report_is_never_left_for_a_run_that_judged_nothing(repo: Repo) -> None:
    repo.write("src/a.py").policy().snob("check", "--output", "report").exits(1)
    repo.write("snob.toml", "x = 1\n").snob("check", "--output", "report").exits(2)
    assert "nothing was judged" in (repo.root / "report").read_text()


def test_a_tracked_file_that_is_gone_can_be_named(repo: Repo) -> None:
    repo.write("src/a.py").write("src/sub/b.py").policy().commit()
    repo.remove("src/sub/b.py")
    for path in ("src/sub/b.py", "src/sub"):
        assert ["nothing-owed"] == repo.snob("check", "--format", "json", path).exits(0).notice_codes()
    repo.snob("check", "src/sub/c.py").exits(2)
    (repo.root / "src/sub").rmdir()
    repo.snob("check", "src/sub").exits(0)


@pytest.mark.req("F76", "C7")
def test_a_sparse_or_linked_source_counts_as_present_though_it_is_ignored(repo: Repo) -> None:
    repo.write("src/a.py").write("b.py").policy().write("snob.toml", 'ignore = ["b.py", "sub"]\n').commit()
    repo.git("update-index", "--skip-worktree", "b.py")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    repo.remove("b.py").write("sub/x").write("snob/reviews/b.py.review.toml").write("snob/reviews/sub.review.toml")
    repo.snob("check").exits(1)
    repo.write("snob/reviews/b.py.review.toml", "deleted = true\n")
    assert ["source-exists"] == repo.snob("check", "--format", "json").exits(2).error_codes()


def test_a_subject_of_any_shape_is_told_and_never_a_defect(repo: Repo) -> None:
    repo.write("src/a.py").policy().entry("src/a.py", "local:c")
    deep = "[" * 90 + "]" * 90
    for text in (
        f"n = {deep}",
        "n = [[[[[[1]]]]]]",
        "n = {a = {b = {c = {d = 1}}}}",
        "content_hash = {a = []}",
        "x = nan",
    ):
        repo.write("snob/claims/c.toml", f'verdict = "violated"\nnote = "why it is"\n[subject]\n{text}\n')
        assert "note: why it is" in repo.snob("check").exits(1).out
        repo.snob("pending").exits(0)
        repo.snob("check", "--format", "json").exits(1).json()
