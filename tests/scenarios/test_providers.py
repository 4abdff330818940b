"""Claims from configured commands."""

from __future__ import annotations

import json
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
