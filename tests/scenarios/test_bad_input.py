"""Whatever a person wrote wrong ends with exit status 2, and is told whole."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from typing import TYPE_CHECKING

import pytest

from builders.repo import SNOB

if TYPE_CHECKING:
    from pathlib import Path

    from builders.repo import Repo

GOOD = 'match = ["src/**"]\n[rules.r]\ndescription = "d"\nreview = "v"\n'
SETTINGS = {
    "unknown key": ('igonre = ["x"]\n', "unknown-key", "igonre", "did you mean `ignore`?"),
    "unknown section": ("[path]\n", "unknown-key", "path", "did you mean `paths`?"),
    "wrong type": ("ignore = 3\n", "wrong-type", "ignore", None),
    "bad pattern": ('ignore = ["/abs"]\n', "invalid-value", "ignore", ""),
    "layout leaves the root": ('[paths]\npolicies = "../x"\n', "invalid-value", "paths.policies", None),
    "layout is absolute": ('[paths]\nreviews = "/etc"\n', "invalid-value", "paths.reviews", None),
    "layout is empty": ('[paths]\nclaims = ""\n', "invalid-value", "paths.claims", None),
    "layout in the git directory": ('[paths]\nclaims = ".git/c"\n', "invalid-value", "paths.claims", None),
    "layout nested": ('[paths]\nclaims = "snob/reviews/c"\n', "invalid-value", "paths.claims", None),
    "layout equal": ('[paths]\nclaims = "x"\nreviews = "x"\n', "invalid-value", "paths.claims", None),
    "no TOML": ("ignore = [\n", "undecodable", None, None),
    "provider without command": ("[providers.ci]\n", "missing-key", "providers.ci.command", None),
    "provider named local": ('[providers.local]\ncommand = ["x"]\n', "invalid-value", "providers.local", None),
    "provider timeout": ('[providers.c]\ncommand = ["x"]\ntimeout = 0\n', "invalid-value", "providers.c.timeout", None),
    "provider file outside": (
        '[providers.c]\ncommand = ["x"]\nfiles = ["../x"]\n',
        "invalid-value",
        "providers.c.files",
        None,
    ),
}
POLICIES = {
    "unknown key of a rule": (GOOD + 'levl = "error"\n', "unknown-key", "rules.r.levl", "did you mean `level`?"),
    "no rule": ('match = ["src/**"]\n', "missing-key", "rules", None),
    "empty rules": ('match = ["src/**"]\n[rules]\n', "missing-key", "rules", None),
    "no match at all": ('[rules.r]\ndescription = "d"\nreview = "v"\n', "missing-key", "rules.r.match", None),
    "empty match": (GOOD.replace('["src/**"]', "[]"), "invalid-value", "match", None),
    "no review": (GOOD.replace("review", "# review"), "missing-key", "rules.r.review", None),
    "blank description": (GOOD.replace('"d"', '" "'), "invalid-value", "rules.r.description", None),
    "unknown level": (GOOD + 'level = "fatal"\n', "invalid-value", "rules.r.level", None),
    "rule name": (GOOD.replace("rules.r", "rules.R"), "invalid-value", "rules.R", None),
    "pattern list of numbers": (GOOD.replace('"src/**"', "1"), "wrong-type", "match", None),
    "negated pattern": (GOOD.replace("src/**", "!src/**"), "invalid-value", "match", ""),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_that_are_wrong_are_refused_with_file_key_and_hint(repo: Repo, name: str) -> None:
    text, code, key, hint = SETTINGS[name]
    _refused(repo.policy().write("snob.toml", text), "snob.toml", code, key, hint)


@pytest.mark.parametrize("name", POLICIES)
def test_policies_that_are_wrong_are_refused_with_file_key_and_hint(repo: Repo, name: str) -> None:
    text, code, key, hint = POLICIES[name]
    _refused(repo.write("snob/policies/p.toml", text), "snob/policies/p.toml", code, key, hint)


def _refused(repo: Repo, path: str, code: str, key: str | None, hint: str | None) -> None:
    repo.write("src/a.py")
    ran = repo.snob("check", "--format", "json").exits(2)
    found = [error for error in ran.json()["errors"] if (error["code"], error.get("key")) == (code, key)]
    assert found, ran.out
    assert path == found[0]["path"]
    if hint is not None:
        assert hint in found[0]["hint"]
    told = repo.snob("pending").exits(2)
    assert "" == told.out
    assert path in told.err


def test_every_problem_of_a_run_is_told_and_not_the_first_alone(repo: Repo) -> None:
    repo.write("snob.toml", "a = 1\nb = 2\n").write("snob/policies/p.toml", GOOD + "c = 1\n")
    repo.write("snob/policies/Q.toml", GOOD).write("snob/policies/broken.toml", "=")
    repo.write("snob/reviews/gone.py.review.toml", "deletd = true\n").write("src/a.py")
    ran = repo.snob("check", "--format", "json").exits(2)
    expected = [
        ("misplaced", "snob/policies/Q.toml"),
        ("undecodable", "snob/policies/broken.toml"),
        ("unknown-key", "snob/policies/p.toml"),
        ("unknown-key", "snob/reviews/gone.py.review.toml"),
        ("no-source", "snob/reviews/gone.py.review.toml"),
        ("unknown-key", "snob.toml"),
        ("unknown-key", "snob.toml"),
    ]
    assert sorted(expected) == sorted((error["code"], error["path"]) for error in ran.json()["errors"])
    assert "7 problems" in ran.err


@pytest.mark.req("C17")
def test_a_project_without_a_policy_is_never_a_pass(repo: Repo) -> None:
    repo.write("src/a.py").write("snob.toml", "")
    assert ["no-policy"] == repo.snob("check", "--format", "json").exits(2).error_codes()
    assert "snob init" in repo.snob("check").exits(2).err


@pytest.mark.req("T26", "T61")
@pytest.mark.parametrize("kind", ["link", "folder", "fifo", "linked folder", "file for folder"])
def test_records_that_are_no_regular_files_are_refused_and_never_waited_for(repo: Repo, kind: str) -> None:
    repo.write("src/a.py").policy("q").write("elsewhere/p.toml", GOOD)
    target = repo.root / "snob/policies/p.toml"
    match kind:
        case "link":
            target.symlink_to("../../elsewhere/p.toml")
        case "folder":
            repo.write("snob/policies/p.toml/x.toml/y.toml", GOOD)
            assert repo.snob("check").exits(1)
            return
        case "fifo":
            os.mkfifo(target)
        case "linked folder":
            (repo.root / "snob").rename(repo.root / "real")
            (repo.root / "snob").symlink_to("real")
        case "file for folder":
            repo.remove("snob/policies/q.toml")
            (repo.root / "snob/policies").rmdir()
            repo.write("snob/policies", "x")
    assert "not-regular" in repo.snob("check", "--format", "json").exits(2).error_codes()


@pytest.mark.req("T60")
def test_bombs_are_refused(repo: Repo) -> None:
    repo.write("src/a.py")
    for bomb in (
        "[" * 5000,
        "a=" + "[" * 3000,
        ".".join("a" * 20000) + "=1",
        "a=" + "9" * 5000,
        b"\xff=1",
        b"\xef\xbb\xbfa=1",
        "#" * 2_000_000,
    ):
        repo.write("snob/policies/p.toml", bomb)
        codes = repo.snob("check", "--format", "json").exits(2).error_codes()
        assert set(codes) <= {"undecodable", "too-large", "no-policy"}, codes


@pytest.mark.req("T41", "C31", "C3")
def test_odd_names_are_judged_or_refused_and_never_break_the_output(repo: Repo) -> None:
    names = [
        "é/ü.py",
        "a b.py",
        "tab\there.py",
        "new\nline.py",
        "-rf.py",
        'q"uote.py',
        "back\\slash.py",
        "[id].py",
        "x.",
        " ",
    ]
    for name in names:
        repo.write(f"src/{name}")
    repo.policy().commit()
    environment = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    ran = repo.snob("check", "--format", "json", env=environment).exits(1)
    assert sorted(f"src/{name}" for name in names) == sorted(row["path"] for row in ran.json()["obligations"])
    text = repo.snob("check", env=environment).exits(1)
    assert "new\\nline.py" in text.out
    assert "back\\\\slash.py" in text.out

    repo.write(b"weird\xff.py")
    assert ["odd-file"] == repo.snob("check", "--format", "json", env=environment).exits(1).notice_codes()
    repo.write(b"src/weird\xff.py")
    refused = repo.snob("check", "--format", "json", env=environment).exits(2)
    assert [("not-utf8", "src/weird\\xff.py")] == [(error["code"], error["path"]) for error in refused.json()["errors"]]


@pytest.mark.req("T37", "T61")
def test_special_files_that_a_rule_needs_are_refused_and_never_waited_for(repo: Repo) -> None:
    repo.write("src/a.py").write("src/b.py").policy().commit()
    repo.remove("src/a.py", "src/b.py")
    os.mkfifo(repo.root / "src/a.py")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(repo.root / "src")
        server.bind("b.py")
        os.chdir(here)
        ran = repo.snob("check", "--format", "json").exits(2)
    assert ["special-file", "special-file"] == ran.error_codes()


@pytest.mark.req("T11", "T10")
def test_git_that_is_missing_or_refuses_is_never_outside_git(repo: Repo, tmp_path: Path) -> None:
    repo.write("src/a.py").policy().commit()
    assert ["no-git"] == repo.snob("check", "--format", "json", env={"PATH": ""}).exits(2).error_codes()
    fake = repo.root / "git"
    fake.write_text("#!/bin/sh\ntouch ran\n")
    fake.chmod(0o755)
    ran = repo.snob("check", "--format", "json", env={"PATH": f".:{repo.root}::"}).exits(2)
    assert ["no-git"] == ran.error_codes()
    assert not (repo.root / "ran").exists()
    if os.geteuid() == 0:
        os.chown(repo.root, 12345, 12345)
        os.chown(repo.root / ".git", 12345, 12345)
        refused = repo.snob("check").exits(2)
        assert "dubious ownership" in refused.err


@pytest.mark.req("T4")
def test_a_bare_repository_among_the_files_is_not_entered(repo: Repo) -> None:
    repo.write("src/a.py").policy().commit()
    repo.write("sub/HEAD", "ref: refs/heads/main\n").write("sub/objects/.k").write("sub/refs/.k")
    repo.write("sub/config", "[core]\nbare = false\nworktree = ..\nfsmonitor = touch ran\n")
    ran = repo.snob("check", cwd="sub").exits(2)
    assert "bare" in ran.err
    assert not list(repo.root.rglob("ran"))


@pytest.mark.req("T2", "T1")
def test_no_configured_program_runs_and_no_git_variable_redirects(repo: Repo, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    repo.write("src/a.py").policy().commit()
    for key in ("core.fsmonitor", "core.sshCommand", "core.pager", "diff.external", "alias.ls-files"):
        repo.git("config", key, f"!{trap}" if key.startswith("alias") else str(trap))
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "reference-transaction"):
        (hooks / hook).symlink_to(trap)
    repo.git("config", "core.hooksPath", str(hooks))
    poison = {
        "GIT_DIR": "/nowhere",
        "GIT_INDEX_FILE": "/nowhere",
        "GIT_WORK_TREE": "/",
        "GIT_ICASE_PATHSPECS": "1",
        "GIT_TRACE": "1",
    }
    before = repo.snob("check", "--format", "json", "--no-cache").exits(1).statuses()
    (tmp_path / "sprung").unlink(missing_ok=True)
    assert before == repo.snob("check", "--format", "json", "--no-cache", env=poison).exits(1).statuses()
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    ("argv", "fragment"),
    [
        ((), "COMMAND"),
        (("chekc",), "invalid choice"),
        (("check", "--strict"), "unrecognized arguments"),
        (("check", "--trusted-rev", "main"), "unrecognized arguments"),
        (("check", "--jobs", "0"), "no number from 1 to 256"),
        (("check", "--format", "xml"), "invalid choice"),
        (("check", "--project", "nowhere"), "is no folder"),
        (("check", "nowhere.py"), "does not exist"),
        (("check", "../outside"), "lies outside the project"),
        (("check", ""), "a PATH is empty"),
        (("explain", "p/rr"), "did you mean the rule `p/r`?"),
        (("check", "--config", "nowhere.toml"), "nowhere.toml"),
    ],
)
def test_a_command_line_that_makes_no_sense_exits_2_in_text_and_in_json(
    repo: Repo, argv: tuple[str, ...], fragment: str
) -> None:
    repo.write("src/a.py").policy()
    ran = repo.snob(*argv).exits(2)
    assert fragment in ran.err
    assert "" == ran.out
    if "--format" not in argv:
        machine = repo.snob(*argv, "--format", "json").exits(2)
        assert {"schema_version", "tool_version", "generated_at", "command", "errors"} == machine.json().keys()


@pytest.mark.req("T26")
@pytest.mark.parametrize("folder", ["policies", "reviews", "claims"])
def test_a_linked_folder_of_records_is_refused(repo: Repo, folder: str) -> None:
    repo.write("src/a.py").policy().reviewed("src/a.py")
    (repo.root / "snob" / folder).rename(repo.root / "elsewhere")
    repo.symlink(f"snob/{folder}", "../elsewhere")
    assert "not-regular" in repo.snob("check", "--format", "json").exits(2).error_codes()
    repo.write("snob.toml", f'[paths]\n{folder} = "link/x"\n').symlink("link", "elsewhere")
    assert "not-regular" in repo.snob("check", "--format", "json").exits(2).error_codes()


@pytest.mark.req("T41")
def test_nothing_that_a_file_says_is_obeyed_by_a_terminal(repo: Repo) -> None:
    repo.write("src/a.py").write(
        "snob/policies/p.toml",
        'match = ["src/**"]\n[rules.r]\ndescription = "\\u001b[2J\\u202e"\nreview = "\\u0007x"\n',
    )
    repo.write("snob.toml", '"\\u001b[31m" = 1\n')
    assert "\x1b" not in repo.snob("check", "--color", "never").exits(2).err
    repo.remove("snob.toml")
    told = repo.snob("pending").exits(0).out
    assert "\\x1b[2J\\u202e" in told
    assert "\x07" not in told
    assert "\x1b[2J" not in repo.snob("pending", "--color", "always").exits(0).out


@pytest.mark.req("T11")
def test_a_git_that_lies_in_the_project_is_not_run(repo: Repo, plain: Repo) -> None:
    real = os.path.dirname(shutil.which("git") or "")
    for project, inner in ((plain, "."), (repo, "."), (repo, "nested")):
        project.write("bin/git", "#!/bin/sh\necho ran >ran\n").write(f"{inner}/src/a.py").policy()
        (project.root / "bin/git").chmod(0o755)
        if inner == "nested":
            project.git("init", "-q", "nested")
            project.write("nested/snob/policies/p.toml", GOOD)
        path = f"{project.root}/bin{os.pathsep}{real}"
        project.snob("check", cwd=inner, env={"PATH": path}).exits(1)
        assert not list(project.root.rglob("ran"))


@pytest.mark.req("T33")
def test_a_folder_that_git_cannot_look_into_is_never_nothing(repo: Repo, tmp_path: Path) -> None:
    repo.write("src/a.py", "a\n").policy().reviewed("src/a.py").commit()
    fake = tmp_path / "bin/git"
    fake.parent.mkdir()
    warning = "warning: could not open directory 'src/hid/': Permission denied"
    fake.write_text(
        f'#!/bin/sh\ncase " $* " in *" ls-files "*) echo "{warning}" >&2;; esac\nexec {shutil.which("git")} "$@"\n'
    )
    fake.chmod(0o755)
    ran = repo.snob("check", "--format", "json", "--no-cache", env={"PATH": str(fake.parent)}).exits(2)
    assert ["unreadable"] == ran.error_codes()
    assert "src/hid" in ran.json()["errors"][0]["message"]


@pytest.mark.req("T26")
@pytest.mark.parametrize("folder", ["policies", "reviews", "claims"])
def test_a_link_below_a_folder_of_records_hides_nothing(repo: Repo, folder: str) -> None:
    repo.write("src/a.py").policy().reviewed("src/a.py", claim_id="d/c").write("other/sec.toml", GOOD)
    if folder == "claims":
        (repo.root / "snob/claims/d").rename(repo.root / "moved")
        repo.symlink("snob/claims/d", "../../moved")
    else:
        repo.symlink(f"snob/{folder}/sec", "../../other")
    assert ["not-regular"] == repo.snob("check", "--format", "json").exits(2).error_codes()


@pytest.mark.req("T62", "T41", "C31")
def test_names_that_are_not_utf_8_never_break_a_report(repo: Repo) -> None:
    repo.write(b"z\xff.txt").write(
        b"snob/reviews/z\xff.txt.review.toml", 'context = ["nowhere"]\n[claims]\n"p/x" = "local:c"\n'
    )
    repo.write("src/a.py").policy(match='["src/**", "*.txt"]').write("snob.toml", 'ignore = ["*.txt"]\n')
    ran = repo.snob("check", "--format", "json").exits(1)
    assert {"entry-without-rule", "pattern-matches-nothing"} <= set(ran.notice_codes())
    repo.write("snob.toml", "")
    assert ["z\\xff.txt"] == [
        path for path in repo.snob("explain", "p/r", "--format", "json").exits(0).json()["rule"]["files"] if "z" in path
    ]
    repo.write(b"snob/reviews/z\xff.txt.review.toml", "=")
    repo.snob("check", "--format", "json").exits(2)
    lines: list[list[str | bytes]] = [
        ["check", "--format", "json", b"--bogus\xff"],
        ["check", "--format", "json", "--output", b"/nowhere/\xff"],
    ]
    for argv in lines:
        done = subprocess.run([SNOB, *argv], cwd=repo.root, capture_output=True, check=False)
        assert 2 == done.returncode, done.stderr
        assert b"Traceback" not in done.stderr
