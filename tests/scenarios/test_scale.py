"""What a run costs does not grow where it need not."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from builders.repo import Repo


@pytest.mark.req("C29")
def test_the_number_of_git_processes_does_not_depend_on_the_number_of_files(repo: Repo, tmp_path: Path) -> None:
    # (Owed) one file, then three hundred that are each other's context; the same questions to git.
    wrapper = tmp_path / "bin/git"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\necho x >>{tmp_path}/asked\nexec {shutil.which("git")} "$@"\n')
    wrapper.chmod(0o755)
    counts = []
    repo.policy(extra='context = ["src/**"]')
    for files in (1, 300):
        for number in range(files):
            repo.write(f"src/d{number % 7}/{number}.py", f"{number}\n").entry(
                f"src/d{number % 7}/{number}.py", "local:c"
            )
        repo.claim("c", None).commit()
        (tmp_path / "asked").write_text("")
        ran = repo.snob("check", "--format", "json", "--no-cache", env={"PATH": str(wrapper.parent)}).exits(1)
        assert files == ran.json()["summary"]["stale"]
        counts.append((tmp_path / "asked").read_text().count("x"))
    assert 0 < counts[0] == counts[1]


@pytest.mark.req("T58")
def test_no_pattern_makes_a_check_slow(repo: Repo) -> None:
    # (Owed) the two that made other matchers hang; a run that hung would end by the builder's own limit.
    deep = "/".join(["a"] * 40)
    repo.write("src/" + "a" * 120).write(f"src/{deep}/a/x").policy(
        match='["src/*a*a*a*a*a*a*a*b", "**/a/**/a/**/a/**/a/**/a/**/a/b", "src/**"]'
    )
    ran = repo.snob("check", "--format", "json").exits(1)
    assert 2 == ran.json()["summary"]["obligations"]
    assert ["pattern-matches-nothing"] * 2 == ran.notice_codes()
