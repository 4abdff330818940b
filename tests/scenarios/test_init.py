"""The first command of a project: it writes what is missing, and nothing over anything."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from builders.repo import Repo


def names(repo: Repo) -> list[str]:
    """All that lies in the project beside git's own."""
    return sorted(
        str(path.relative_to(repo.root))
        for path in repo.root.rglob("*")
        if ".git" not in path.relative_to(repo.root).parts
    )


@pytest.mark.req("T26")
@pytest.mark.parametrize("kind", ["linked snob", "linked policies", "file for a folder", "no TOML", "FIFO", "folder"])
def test_nothing_is_written_where_the_way_is_not_in_order(repo: Repo, kind: str) -> None:
    # (No verdict) no file through a link, and none beside settings that cannot be read.
    (repo.root / "real").mkdir()
    match kind:
        case "linked snob":
            repo.symlink("snob", "real")
        case "linked policies":
            repo.symlink("snob/policies", "../real")
        case "file for a folder":
            repo.write("snob", "x")
        case "no TOML":
            repo.write("snob.toml", "=")
        case "FIFO":
            os.mkfifo(repo.root / "snob.toml")
        case "folder":
            (repo.root / "snob.toml").mkdir()
    before = names(repo)
    ran = repo.snob("init", "--format", "json").exits(2)
    assert ["undecodable" if kind == "no TOML" else "not-regular"] == ran.error_codes()
    assert before == names(repo)


def test_init_ends_where_check_sends_to_it(repo: Repo) -> None:
    # (No verdict, Pass) the hint of a check without a policy leads out, settings or an empty folder being there or not.
    repo.write("sub/snob.toml", '[paths]\npolicies = "rules"\n').write("sub/a.py")
    (repo.root / "sub/rules").mkdir()
    assert "snob init" in repo.snob("check", cwd="sub").exits(2).err
    assert ["rules/first.toml"] == repo.snob("init", "--format", "json", cwd="sub").exits(0).json()["written"]
    assert '[paths]\npolicies = "rules"\n' == (repo.root / "sub/snob.toml").read_text()
    repo.snob("check", cwd="sub").exits(0)
    assert ["exists", "exists"] == repo.snob("init", "--format", "json", cwd="sub").exits(2).error_codes()
    assert ["sub", "sub/a.py", "sub/rules", "sub/rules/first.toml", "sub/snob.toml"] == names(repo)


def test_what_failed_half_way_is_finished_by_another_run(repo: Repo, plain: Repo) -> None:
    # (No verdict, Pass) the folder of policies cannot be made; then it can.
    repo.write("snob/x")
    os.mkfifo(repo.root / "snob/policies")
    repo.snob("init").exits(2)
    os.unlink(repo.root / "snob/policies")
    assert "wrote snob.toml\nwrote snob/policies/first.toml\n" in repo.snob("init").exits(0).out
    plain.write("a.sh").snob("init").exits(0)
    plain.snob("check").exits(0)
    plain.snob("pending").exits(0)
