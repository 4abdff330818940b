"""Where reports go, in whatever format, whatever is in the way."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from builders.repo import SNOB

if TYPE_CHECKING:
    from pathlib import Path

    from builders.repo import Repo

ENVELOPE = {"schema_version", "tool_version", "generated_at", "command", "errors"}
BAD_LINES = [
    (),
    ("chekc",),
    ("check", "--bogus"),
    ("check", "--fail-on", "none"),
    ("check", "--jobs", "many"),
    ("check", "--project", "nowhere"),
    ("check", "--project", ""),
    ("check", "--config", ""),
    ("check", "--config", "src"),
    ("check", "nowhere"),
    ("check", "/"),
    ("pending", "--no-exempt"),
    ("check", "--diff"),
    ("claim", "src/a.py", "p/r"),
    ("review",),
    ("explain",),
    ("explain", "nowhere"),
    ("init", "--adopt"),
]


@pytest.mark.req("C23")
@pytest.mark.parametrize("argv", BAD_LINES)
def test_a_command_line_that_is_refused_says_so_in_the_format_that_it_asks_for(
    repo: Repo, argv: tuple[str, ...]
) -> None:
    # (No verdict) one JSON object on standard output, in a file where one is asked for; text on standard error.
    repo.write("src/a.py").policy()
    report = repo.snob(*argv, "--format=json").exits(2).json()
    assert ENVELOPE == report.keys()
    assert all("hint" in error for error in report["errors"] if error["code"] == "usage" and "--project" not in argv)
    told = repo.snob(*argv).exits(2)
    assert "" == told.out
    assert told.err.startswith("error: ")
    repo.snob(*(argv or ("check", "--bogus")), "--format", "json", "--output", "report").exits(2)
    assert not argv or report["errors"] == json.loads((repo.root / "report").read_text())["errors"]


def test_an_option_before_the_command_is_told_where_it_belongs(repo: Repo) -> None:
    # (No verdict)
    assert "options stand after the command" in repo.snob("--format", "json", "check").exits(2).out
    assert "a variable that is not set?" in repo.snob("check", "--output", "").exits(2).err
    assert "a variable that is not set?" in repo.snob("check", "--output=", "--format=json").exits(2).out


def test_a_problem_is_told_once_and_its_place_once(repo: Repo) -> None:
    # (No verdict) on a full or unwritable output too.
    repo.write("src/a.py").policy()
    assert 1 == repo.snob("check", "nowhere").exits(2).err.count("nowhere")
    for extra in ((), ("--format", "json")):
        assert 1 == repo.snob("check", "--output", "src", *extra).exits(2).err.count("error: ")
        for sink in (">/dev/full", ">&-"):
            full = subprocess.run(
                ["sh", "-c", f"{SNOB} check {' '.join(extra)} {sink}"], cwd=repo.root, capture_output=True, check=False
            )
            assert (2, 1) == (full.returncode, full.stderr.count(b"error: "))


@pytest.mark.req("C23", "T62")
def test_an_error_report_takes_the_place_of_an_older_one(repo: Repo) -> None:
    # (Owed, No verdict) in both formats, for faulty records and for a faulty command line.
    repo.write("src/a.py").policy()
    for extra in (("--format", "json"), ()):
        for bad in (("--jobs", "0"), ("nowhere",)):
            repo.snob("check", "--output", "report", *extra).exits(1)
            repo.snob("check", "--output", "report", *extra, *bad).exits(2)
            text = (repo.root / "report").read_text()
            assert "errors" in json.loads(text) if extra else "nothing was judged" in text


@pytest.mark.req("C22")
def test_reading_leaves_a_read_only_project_as_it_is(repo: Repo) -> None:
    # (Owed) no write into the tree, nor into the git directory without the cache; the same bytes each time.
    repo.write("src/a.py", "a\n").write("src/b.py", "b\n").policy(extra='context = ["src/**"]').reviewed("src/a.py")
    repo.git("add", "-A")
    before, status = repo.digest(), repo.git("status", "--porcelain")
    before = repo.digest()
    for argv in (("check",), ("check", "-v"), ("pending",), ("explain", "src/a.py"), ("explain", "p/r")):
        for form in ("text", "json"):
            runs = [repo.snob(*argv, "--format", form, "--no-cache") for _ in range(2)]
            outputs = [[line for line in run.out.splitlines() if '"generated_at"' not in line] for run in runs]
            assert outputs[0] == outputs[1]
            assert [1, 1] == [run.code for run in runs] if argv[0] == "check" else [0, 0]
    assert before == repo.digest()
    assert status == repo.git("status", "--porcelain")


@pytest.mark.req("C31", "T41")
def test_an_odd_name_is_escaped_on_every_way_out(repo: Repo, tmp_path: Path) -> None:
    # (Owed, No verdict) text, JSON, files, errors, explain; no locale changes a byte of it.
    repo.write("src/é\x1b[2J.py", "x\n").write(b"src/w\xffe.py").policy(match='["src/é*"]')
    odd = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LANG": ""}
    for argv in (
        ("check",),
        ("check", "--color", "always"),
        ("pending",),
        ("explain", "p/r"),
        ("explain", b"src/w\xffe.py"),
    ):
        outputs = set()
        for environment in ({}, odd):
            done = subprocess.run(
                [SNOB, *argv], cwd=repo.root, env={**os.environ, **environment}, capture_output=True, check=False
            )
            assert done.returncode in {0, 1}, done.stderr
            assert b"\x1b[2J" not in done.stdout
            assert b"\xff" not in done.stdout
            outputs.add(done.stdout)
        assert 1 == len(outputs)
    assert ["src/é\x1b[2J.py"] == [
        path for path, _ in repo.snob("check", "--format", "json", env=odd).exits(1).statuses()
    ]
    assert ["odd-file"] == repo.snob("check", "--format", "json", env=odd).exits(1).notice_codes()
    refused = repo.policy().snob("check", env=odd).exits(2)
    assert "src/w\\xffe.py" in refused.err
    assert "" == refused.out


def test_numbers_and_nouns_agree_and_a_pass_tells_of_its_warnings(repo: Repo) -> None:
    # (Pass, Owed) one and several.
    repo.write("src/a.py", "a\n").policy(level="warning")
    assert "1 obligation on 2 candidates: 1 missing — pass, 1 warning\n" in repo.snob("check").exits(0).out
    assert "1 obligation on 1 candidate: 1 missing — pass, 1 warning\n" in repo.snob("check", "src/a.py").exits(0).out
    assert "— 1 failing\n" in repo.snob("check", "--fail-on", "warning").exits(1).out
    repo.write("src/b.py").policy("q", level="error")
    assert "4 obligations on 4 candidates: 4 missing — 2 failing, 2 warnings\n" in repo.snob("check").exits(1).out
    assert '"strict": false' in repo.snob("check", "--format", "json").exits(1).out


def test_quiet_verbose_and_colour_change_no_verdict(repo: Repo) -> None:
    # (Pass) -v tells of the rows that are satisfied too.
    repo.write("src/a.py", "a\n").policy().reviewed("src/a.py")
    assert "src/a.py" not in repo.snob("check").exits(0).out
    told = repo.snob("check", "-v").exits(0).out
    assert "satisfied src/a.py  p/r\n" in told
    assert "local:c: satisfied by alex@example.org on 2026-11-30T12:00:00Z" in told
    assert told == repo.snob("check", "-v", "-q", "--color", "never", "--jobs", "3").exits(0).out
