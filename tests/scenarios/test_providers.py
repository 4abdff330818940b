"""Claims from configured commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from builders.repo import Repo

PROGRAM = """
import json, os, sys
request = json.load(sys.stdin)
print(json.dumps(request), file=open("asked.json", "w"))
print(json.dumps(sorted(name for name in os.environ if name.startswith(("GIT_", "PYTHON")))), file=open("env.json", "w"))
{body}
"""


def provide(repo: Repo, body: str, timeout: int = 20) -> Repo:
    """Configure the provider `ci`, a Python program that ends with `body`."""
    repo.write("snob.toml", f'[providers.ci]\ncommand = ["python3", "tools/ci.py"]\ntimeout = {timeout}\n')
    return repo.write("tools/ci.py", PROGRAM.format(body=body)).entry("src/a.py", "ci:4711")


@pytest.mark.req("T54")
def test_a_provider_is_asked_once_for_all_that_is_wanted_and_believed_as_far_as_its_claims_are_current(
    repo: Repo,
) -> None:
    repo.write("src/a.py", "a\n").write("src/b.py", "b\n").policy()
    claim = {
        "verdict": "satisfied",
        "reviewer": "ci",
        "reviewed_at": "2026-11-30T12:00:00Z",
        "subject": repo.subject("src/a.py"),
    }
    answer = json.dumps({"protocol": 1, "claims": {"4711": claim}})
    provide(repo, f"print({answer!r})").entry("src/b.py", "ci:4712")
    ran = repo.snob("check", "--format", "json", env={"GIT_DIR": "x", "PYTHONPATH": "x"}).exits(1)
    assert {"src/a.py": "satisfied", "src/b.py": "missing"} == {
        path: status for (path, _), status in ran.statuses().items()
    }
    assert {"protocol": 1, "claims": ["4711", "4712"]} == json.loads((repo.root / "asked.json").read_text())
    assert ["PYTHONSAFEPATH"] == json.loads((repo.root / "env.json").read_text())
    (repo.root / "asked.json").unlink()
    assert "missing" == repo.status("src/a.py", "p/r", "--no-providers")
    assert not (repo.root / "asked.json").exists()


@pytest.mark.req("C23")
@pytest.mark.parametrize(
    ("body", "fragment"),
    [
        ("sys.exit('broken pipe to the server')", "broken pipe to the server"),
        ("import time; time.sleep(60)", "did not end within 1 second"),
        ("print('{')", "not JSON"),
        ("print('[]')", "no object"),
        ('print(\'{"protocol": 2, "claims": {}}\')', "protocol 2"),
        ('print(\'{"protocol": 1, "claims": {"x": {}}}\')', "was not asked"),
        ('print(\'{"protocol": 1, "claims": {"4711": {"verdict": "ok"}}}\')', "verdict"),
        ('print(\'{"protocol": 1, "claims": {"4711": 3}}\')', "no object"),
        ("print('x' * (65 << 20))", "more than"),
        (
            "print(json.dumps({'protocol': 1, 'claims': {}}), flush=True); sys.stderr.write('x' * (65 << 20))",
            "more than",
        ),
        (
            "print('{}', flush=True); sys.stderr.write('x' * (65 << 20)); sys.stderr.flush(); import time; time.sleep(1)",
            "more than",
        ),
        ("print('[' * 100000)", "nested too deeply"),
    ],
)
def test_a_provider_that_fails_or_answers_nonsense_ends_the_run(repo: Repo, body: str, fragment: str) -> None:
    repo.write("src/a.py").policy()
    ran = provide(repo, body, timeout=1 if "sleep" in body else 20).snob("check", "--format", "json").exits(2)
    assert {"provider"} == set(ran.error_codes())
    assert fragment in ran.json()["errors"][0]["message"]


def test_a_provider_that_is_not_there_or_not_configured_ends_the_run(repo: Repo) -> None:
    repo.write("src/a.py").write("src/b.py").policy().entry("src/a.py", "ci:1")
    assert ["no-provider"] == repo.snob("check", "--format", "json").exits(2).error_codes()
    assert ["unknown-provider"] == repo.snob("check", "--format", "json", "src/b.py").exits(1).notice_codes()
    repo.write("snob.toml", '[providers.ci]\ncommand = ["./nowhere"]\n')
    assert "does not start" in repo.snob("check").exits(2).err


@pytest.mark.req("T54")
def test_nothing_of_a_provider_s_process_group_outlives_the_run(repo: Repo) -> None:
    # (Owed, No verdict) a child in the background, of a provider that answers and of one that takes too long.
    repo.write("src/a.py").policy()
    child = 'import subprocess; child = subprocess.Popen(["sleep", "300"]); print(child.pid, file=open("child", "w"), flush=True)'
    for end, code in (("print(json.dumps({'protocol': 1, 'claims': {}}))", 1), ("import time; time.sleep(60)", 2)):
        provide(repo, f"{child}; {end}", timeout=1 if code == 2 else 20).snob("check").exits(code)
        state = Path(f"/proc/{(repo.root / 'child').read_text().strip()}/stat")
        # EDGE CASE: where nobody reaps orphans, an ended process stays as a zombie.
        assert not state.exists() or ") Z " in state.read_text()


@pytest.mark.req("T54")
def test_what_a_provider_says_and_does_is_told_and_never_obeyed(repo: Repo) -> None:
    # (No verdict) a signal, the end of a long complaint, escape sequences, a command of several words.
    repo.write("src/a.py").policy()
    assert (
        "was ended by Killed (signal 9)"
        in provide(repo, "import os; os.kill(os.getpid(), 9)").snob("check").exits(2).err
    )
    ran = provide(repo, "sys.exit('x' * 9000 + ' the reason \\x1b[2J')").snob("check").exits(2)
    assert "the reason \\x1b[2J" in ran.err
    assert len(ran.err) < 6000
    repo.write("snob.toml", '[providers.ci]\ncommand = ["sh", "-c", "exit 3"]\n')
    assert "run it by hand: sh -c 'exit 3'" in repo.snob("check").exits(2).err
    repo.write("snob.toml", '[providers.ci]\ncommand = ["./no where"]\n')
    assert "does not start: ./no where: No such file or directory" in repo.snob("check").exits(2).err


def test_a_claim_that_nobody_was_asked_for_is_told_as_such(repo: Repo) -> None:
    # (Owed) no provider was started, none knows the claim, or there is no such file.
    repo.write("src/a.py", "a\n").policy()
    provide(repo, "print(json.dumps({'protocol': 1, 'claims': {}}))")
    assert "ci:4711: its provider knows no such claim" in repo.snob("check").exits(1).out
    for command in ("check", "pending"):
        assert "ci:4711: its provider was not asked (--no-providers)" in repo.snob(command, "--no-providers").out
    repo.entry("src/a.py", "local:none")
    assert "local:none: there is no such claim file" in repo.snob("check", "--no-providers").exits(1).out


def test_a_claim_of_a_provider_may_hold_any_value_that_json_has(repo: Repo) -> None:
    # (Owed) large numbers, nulls and nesting in a subject are differences, and a null elsewhere is no claim.
    repo.write("src/a.py", "a\n").policy()
    subject = (
        '{"path": 1' + "0" * 60 + ', "rule": null, "x": [[1e300]], "deleted": false, "content_hash": {"a": {"b": []}}}'
    )
    answer = '{"protocol": 1, "claims": {"4711": {"verdict": "satisfied", "note": "n", "subject": ' + subject + "}}}"
    row = provide(repo, f"print({answer!r})").snob("check", "--format", "json").exits(1).json()["obligations"][0]
    fields = ["path", "content_hash", "rule", "rule_fingerprint", "x", "deleted"]
    assert fields == [reason["field"] for reason in row["claims"][0]["reasons"]]
    repo.snob("check").exits(1)
    null = '{"protocol": 1, "claims": {"4711": {"verdict": "satisfied", "note": null}}}'
    assert "`note` must be a string" in provide(repo, f"print({null!r})").snob("check").exits(2).err
