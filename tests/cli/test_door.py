"""Every run ends with a status that means what it says, and text fits whoever reads it."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from builders.repo import SNOB
from snob.cli import door, review
from snob.cli.console import Progress

if TYPE_CHECKING:
    from builders.repo import Repo


@pytest.mark.req("T62")
@pytest.mark.parametrize(
    "error", [ValueError("boom"), MemoryError(), RecursionError("deep"), OSError(5, "io"), KeyError("x")]
)
def test_what_nobody_foresaw_is_a_defect_with_what_to_report(
    error: BaseException, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> bool:
        raise error

    monkeypatch.setitem(review.COMMANDS, "check", review.COMMANDS["check"]._replace(run=fail))
    assert 3 == door.through_the_door(["check"], {}, os.getcwd)
    out, err = capfd.readouterr()
    assert "" == out
    assert "defect of snob" in err
    assert type(error).__name__ in err
    assert "Traceback" not in err


@pytest.mark.req("T62")
def test_an_interrupt_is_no_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setitem(review.COMMANDS, "check", review.COMMANDS["check"]._replace(run=interrupt))
    assert 130 == door.through_the_door(["check"], {}, os.getcwd)


def test_a_working_directory_that_is_gone_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> str:
        raise FileNotFoundError(2, "No such file or directory")

    assert 2 == door.through_the_door(["check"], {}, gone)


def test_help_and_version_are_no_runs(repo: Repo) -> None:
    assert re.fullmatch(r"snob \d+\.\d+\.\d+\n", repo.snob("--version").exits(0).out)
    assert repo.snob("--version").out == repo.snob("--version", "check").exits(0).out
    assert "Exit status" in repo.snob("--help").exits(0).out
    for command in review.COMMANDS:
        assert "--project" in repo.snob(command, "--help").exits(0).out
    assert 2 == subprocess.run(["sh", "-c", f"{SNOB} --help >&-"], capture_output=True, check=False).returncode


def test_a_locale_that_is_not_utf_8_changes_no_name(repo: Repo) -> None:
    repo.write("src/é.py").policy()
    odd = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    assert (
        repo.subject("src/é.py")
        == repo.snob("pending", "--format", "json", env=odd).exits(0).json()["obligations"][0]["subject"]
    )


def test_text_is_plain_in_a_pipe_and_styled_on_demand(repo: Repo) -> None:
    repo.write("src/a.py").policy()
    assert "\x1b" not in repo.snob("check", env={"TERM": "xterm"}).exits(1).out
    assert "\x1b[1m" in repo.snob("check", "--color", "always", env={"TERM": "xterm"}).exits(1).out
    assert "\x1b" in repo.snob("check", "nowhere", "--color", "always", env={"TERM": "xterm"}).exits(2).err


def in_terminal(repo: Repo, *argv: str, **variables: str) -> str:
    """What a run prints to a terminal of eighty columns."""
    leader, follower = pty.openpty()
    environment: dict[str, Any] = {**os.environ, "TERM": "xterm", "COLUMNS": "80", **variables}
    with subprocess.Popen(
        [SNOB, *argv], cwd=repo.root, stdin=follower, stdout=follower, stderr=follower, env=environment
    ) as run:
        os.close(follower)
        parts = []
        while True:
            try:
                part = os.read(leader, 65536)
            except OSError:
                break
            if not part:
                break
            parts.append(part)
        run.wait()
    os.close(leader)
    return b"".join(parts).decode()


def test_a_terminal_breaks_prose_and_never_a_path_or_a_digest(repo: Repo) -> None:
    name = "src/" + "long/" * 20 + "a.py"
    repo.write(name).policy(more="")
    repo.write(
        "snob/policies/p.toml",
        'match = ["src/**"]\n[rules.r]\ndescription = "d"\nreview = "' + "many words " * 30 + '"\n',
    )
    text = in_terminal(repo, "pending")
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert "\x1b[1;31mmissing" in text
    assert any(name in line for line in plain.splitlines())
    assert re.search(r'content_hash = "blake3:[0-9a-f]{64}"', plain)
    assert max(len(line.rstrip()) for line in plain.splitlines() if "many words" in line) <= 80
    assert "\x1b[1" not in in_terminal(repo, "pending", NO_COLOR="1")
    assert "\x1b[1" not in in_terminal(repo, "pending", TERM="dumb")
    assert "error: " in re.sub(r"\x1b\[[0-9;]*m", "", in_terminal(repo, "check", "nowhere"))


def test_progress_is_told_after_a_second_and_taken_away(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr("snob.cli.console.monotonic", lambda: now[0])
    progress = Progress(shown_at_all=True)
    progress.start("hashing files", 3000)
    progress.advance(1000)
    assert "" == capfd.readouterr().err
    now[0] = 1.5
    progress.advance(1000)
    assert "\r\x1b[Khashing files: 2,000 of 3,000" == capfd.readouterr().err
    now[0] = 1.55
    progress.advance(1000)
    progress.clear()
    progress.clear()
    assert "\r\x1b[K" == capfd.readouterr().err
    silent = Progress(shown_at_all=False)
    silent.start("x", 1)
    now[0] = 9.0
    silent.advance(1)
    assert "" == capfd.readouterr().err


@pytest.mark.req("T55")
def test_a_folder_named_like_the_tool_does_not_stand_in_for_it(repo: Repo) -> None:
    trap = "open('sprung', 'w')"
    repo.write("snob/__init__.py", trap).write("snob/__main__.py", trap).write("json.py", trap).write(
        "tomllib.py", trap
    )
    repo.write("src/a.py").policy()
    repo.snob("check", "--format", "json").exits(1)
    isolated = subprocess.run(
        [sys.executable, "-I", "-m", "snob", "check"], cwd=repo.root, capture_output=True, check=False
    )
    assert 1 == isolated.returncode
    assert not (repo.root / "sprung").exists()
