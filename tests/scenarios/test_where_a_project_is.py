"""The root, the settings, and the paths of a command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from builders.repo import Repo


def judged(repo: Repo, *argv: str, cwd: str = ".", code: int = 1) -> list[str]:
    """The paths that a check judges."""
    return [path for path, _ in repo.snob("check", "--format", "json", *argv, cwd=cwd).exits(code).statuses()]


def test_the_root_is_the_nearest_settings_file_and_git_s_top_where_there_is_none(repo: Repo, plain: Repo) -> None:
    # (Owed) an inner project is judged by its own records; outside git only the working directory is looked at.
    repo.write("src/a.py").policy().write("inner/snob.toml").write("inner/src/b.py").write("inner/deep/x")
    repo.write("inner/snob/policies/p.toml", (repo.root / "snob/policies/p.toml").read_text())
    assert ["src/a.py"] == judged(repo, cwd="src")
    assert ["src/b.py"] == judged(repo, cwd="inner/deep")
    assert ["src/a.py"] == judged(repo, "--project", "../..", cwd="inner/deep")
    assert ["src/b.py"] == judged(repo, "--project", "inner")
    repo.snob("check", "--project", "src").exits(2)
    plain.write("src/a.py").policy().write("snob.toml")
    assert ["no-policy"] == plain.snob("check", "--format", "json", cwd="src").exits(2).error_codes()
    assert ["src/a.py"] == judged(plain, "--project", "..", cwd="src")


@pytest.mark.req("F61")
def test_config_is_read_from_where_one_stands_and_its_commands_run_where_it_lies(repo: Repo, tmp_path: Path) -> None:
    # (Owed) the root is git's top, whatever settings are nearer; policies and claims are the project's own.
    outside = tmp_path / "ci"
    outside.mkdir()
    (outside / "answer").write_text('{"protocol": 1, "claims": {}}')
    (outside / "own.toml").write_text('[providers.ci]\ncommand = ["sh", "-c", "cat answer; pwd >>asked"]\n')
    repo.write("src/a.py").policy().entry("src/a.py", "ci:1").write("src/snob.toml", "broken")
    assert ["src/a.py", "src/snob.toml"] == judged(repo, "--config", "../../ci/own.toml", cwd="src")
    assert f"{outside}\n" == (outside / "asked").read_text()
    repo.snob("check", "--config", str(outside / "own.toml"), "--project", "src", cwd="src").exits(2)
    (outside / "own.toml").write_text('polices = "x"\n[paths]\npolicies = "../x"\n')
    errors = repo.snob("check", "--format", "json", "--config", "../ci/own.toml").exits(2).json()["errors"]
    assert {("polices", 1), ("paths.policies", 3)} == {(error["key"], error["line"]) for error in errors}
    assert {str(outside / "own.toml")} == {error["path"] for error in errors}
    (outside / "link.toml").symlink_to("own.toml")
    (outside / "own.toml").write_text('ignore = ["**"]\n')
    assert [] == judged(repo, "--config", str(outside / "link.toml"), code=0)


def test_a_path_keeps_rows_and_changes_nothing_else(repo: Repo) -> None:
    # (Owed, Pass, No verdict) literal names, folders, several, from a folder below, nothing owed, mistakes elsewhere.
    repo.write("src/[slug].py").write("src/s.py").write("src/x/b.py").write("other.py").policy().commit()
    assert ["src/[slug].py"] == judged(repo, "src/[slug].py")
    assert ["src/s.py", "src/x/b.py"] == judged(repo, "x", "./s.py", "../src/s.py", cwd="src")
    paths = (
        repo.snob("check", "--format", "json", "x", "./s.py", "../src/s.py", cwd="src").exits(1).json()["mode"]["paths"]
    )
    assert ["src/s.py", "src/x"] == paths
    ran = repo.snob("check", "--format", "json", "other.py", "src/x").exits(1)
    assert [("nothing-owed", "other.py")] == [(notice["code"], notice["path"]) for notice in ran.json()["notices"]]
    assert {"obligations": 1, "candidates": 2}.items() <= ran.json()["summary"].items()
    assert ["nothing-owed"] == repo.snob("check", "--format", "json", "other.py").exits(0).notice_codes()
    for bad in ("src/*.py", "src/s.py/x", "../elsewhere", "/etc"):
        assert ["usage"] == repo.snob("check", "--format", "json", bad).exits(2).error_codes()
    assert ["usage", "usage"] == repo.snob("check", "--format", "json", "no", "nor", "src").exits(2).error_codes()
    repo.write("snob/policies/q.toml", "=")
    assert ["undecodable"] == repo.snob("check", "--format", "json", "other.py").exits(2).error_codes()


@pytest.mark.req("T26")
def test_a_layout_of_its_own_is_used_for_all_records(repo: Repo) -> None:
    # (Pass, Owed) moved folders; what lies in the old ones is an ordinary file.
    repo.write("src/a.py", "a\n").policy().reviewed("src/a.py")
    (repo.root / "snob").rename(repo.root / "quality")
    layout = "".join(f'{name} = "quality/{name}"\n' for name in ("policies", "reviews", "claims"))
    repo.write("snob.toml", f"[paths]\n{layout}").snob("check").exits(0)
    repo.write("snob/claims/x.toml", "no claim").write("snob/policies/p.toml", "no policy")
    ran = repo.snob("check", "--format", "json").exits(0)
    assert [] == ran.notice_codes()
    assert 5 == ran.json()["summary"]["candidates"]
    repo.write("snob.toml", f"[paths]\n{layout}".replace("quality/claims", "Quality/.GIT/x"))
    assert ["invalid-value"] == repo.snob("check", "--format", "json").exits(2).error_codes()
    repo.write("snob.toml", f"[paths]\n{layout}".replace("policies =", "polices =")).remove("snob/policies/p.toml")
    errors = repo.snob("check", "--format", "json").exits(2).json()["errors"]
    assert [("paths.polices", 2, "did you mean `policies`?")] == [(e["key"], e["line"], e["hint"]) for e in errors]


def test_every_stage_tells_its_problems_in_one_run(repo: Repo) -> None:
    # (No verdict) a name that is no UTF-8, a provider that is not configured, a claim that is none: all of them.
    repo.write("src/a.py").write("src/b.py").write("src/c.py").write(b"src/\xff.py").policy()
    repo.entry("src/a.py", "nobody:1").entry("src/b.py", "local:bad").entry("src/c.py", "ci:1")
    repo.write("snob/claims/bad.toml", 'verdit = "satisfied"\n')
    repo.write("snob.toml", '[providers.ci]\ncommand = ["false"]\n')
    errors = repo.snob("check", "--format", "json").exits(2).json()["errors"]
    expected = ["missing-key", "no-provider", "not-utf8", "provider", "unknown-key"]
    assert expected == sorted(error["code"] for error in errors)
    assert all(error["hint"] for error in errors)
    unknown = next(error for error in errors if error["code"] == "unknown-key")
    assert ("snob/claims/bad.toml", 1, "verdit", "did you mean `verdict`?") == tuple(
        unknown[name] for name in ("path", "line", "key", "hint")
    )
