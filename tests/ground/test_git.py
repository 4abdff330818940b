"""Git is asked so that nothing in a checkout or an environment can lie about it, run anything, or hold us up."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

import pytest

from builders.repo import Repo
from snob.errors import FileError, GitError
from snob.ground import git as git_module
from snob.ground.git import (
    GITLINK_MODE,
    SYMLINK_MODE,
    Git,
    blob_id,
    blob_sizes,
    discover,
    find_git,
    list_tree,
    read_blobs,
    read_listing,
    start_listing,
)

if TYPE_CHECKING:
    from pathlib import Path

    from snob.ground.git import Listing, Repository


def found(folder: Path) -> tuple[Git, Repository]:
    """The repository around a folder, and a runner there."""
    known = discover(str(folder))
    assert known is not None
    return known


def listing(folder: Path) -> Listing:
    """What git lists below a folder."""
    return read_listing(start_listing(found(folder)[0]))


def script(path: Path, text: str) -> Path:
    """A shell script that can be run."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def answers(folder: Path) -> tuple[object, ...]:
    """Every question that is put to git, answered."""
    git, repository = found(folder)
    tree = list_tree(git, git.run("rev-parse", "HEAD").decode().strip(), repository.prefix)
    oids = [entry.oid for entry in tree if entry.mode != GITLINK_MODE]
    return repository, listing(folder), tree, list(read_blobs(git, oids)), blob_sizes(git, oids)


@pytest.mark.req("T1", "C1")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GIT_DIR", "{other}/.git"),
        ("GIT_INDEX_FILE", "{other}/.git/index"),
        ("GIT_OBJECT_DIRECTORY", "{other}/.git/objects"),
        ("GIT_ALTERNATE_OBJECT_DIRECTORIES", "{other}/.git/objects"),
        ("GIT_WORK_TREE", "{other}"),
        ("GIT_COMMON_DIR", "{other}/.git"),
        ("GIT_NAMESPACE", "x"),
        ("GIT_ICASE_PATHSPECS", "1"),
        ("GIT_GLOB_PATHSPECS", "1"),
        ("GIT_CEILING_DIRECTORIES", "{here}"),
        ("GIT_CONFIG_GLOBAL", "{other}/config"),
        ("GIT_CONFIG_PARAMETERS", "'core.fsmonitor'='touch {other}/sprung'"),
        ("GIT_TRACE", "1"),
        ("GIT_TRACE2_EVENT", "{other}/sprung"),
        ("GIT_EXEC_PATH", "{other}"),
        ("GIT_REPLACE_REF_BASE", "refs/heads/"),
        ("GIT_DEFAULT_HASH", "sha256"),
        ("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1"),
    ],
)
def test_no_variable_of_git_s_changes_an_answer(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    other = Repo.new(tmp_path / "other")
    other.write("elsewhere", "x").commit()
    repo.write("sub/a", "a").write("B", "b").commit()
    repo.write("sub/new", "new")
    expected = answers(repo.root / "sub")
    monkeypatch.setenv(name, value.format(other=other.root, here=repo.root))
    assert expected == answers(repo.root / "sub")
    assert not (other.root / "sprung").exists()


@pytest.mark.req("T2", "C2")
def test_nothing_that_a_configuration_names_is_run(repo: Repo, tmp_path: Path) -> None:
    evil = script(tmp_path / "evil", f'touch "{tmp_path}/sprung"; cat')
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "reference-transaction", "pre-commit", "post-checkout", "fsmonitor-watchman"):
        script(hooks / hook, f'touch "{tmp_path}/sprung"')
    repo.write(".gitattributes", "* filter=evil diff=evil merge=evil\n").write("a", "a\n").write("b", "b\n").commit()
    os.utime(repo.root / "a", ns=(1, 1))
    expected = answers(repo.root)
    settings = {
        "core.fsmonitor": str(evil),
        "core.hooksPath": str(hooks),
        "core.sshCommand": str(evil),
        "core.pager": str(evil),
        "core.editor": str(evil),
        "core.askPass": str(evil),
        "core.gitProxy": str(evil),
        "credential.helper": f"!{evil}",
        "alias.ls-files": f"!{evil}",
        "alias.rev-parse": f"!{evil}",
        "pager.ls-files": str(evil),
        "pager.ls-tree": str(evil),
        "filter.evil.smudge": str(evil),
        "filter.evil.clean": str(evil),
        "filter.evil.process": str(evil),
        "diff.evil.textconv": str(evil),
        "diff.external": str(evil),
        "gpg.program": str(evil),
        "uploadpack.packObjectsHook": str(evil),
        "core.untrackedCache": "true",
    }
    for name, value in settings.items():
        repo.git("config", name, value)
    assert expected == answers(repo.root)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.req("T4")
def test_a_bare_repository_among_the_files_is_not_entered(repo: Repo, tmp_path: Path) -> None:
    evil = script(tmp_path / "evil", f'touch "{tmp_path}/sprung"')
    config = f"[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = {evil}\n"
    repo.write("sub/HEAD", "ref: refs/heads/main\n").write("sub/objects/.k").write("sub/refs/.k")
    repo.write("sub/config", config).commit()
    with pytest.raises(GitError) as caught:
        discover(str(repo.root / "sub"))
    assert caught.value.problems[0].hint is not None
    assert not (tmp_path / "sprung").exists()
    assert "sub/HEAD" in listing(repo.root).paths


def test_outside_a_work_tree_there_is_none_and_a_broken_one_is_an_error(repo: Repo, plain: Repo) -> None:
    assert None is discover(str(plain.root))
    repo.write("a").commit()
    for folder in (".git", ".git/objects"):
        with pytest.raises(GitError, match=r"cannot use bare repository|must be run in a work tree"):
            discover(str(repo.root / folder))
    plain.write(".git", "gitdir: /nowhere\n")
    with pytest.raises(GitError):
        discover(str(plain.root))
    plain.remove(".git").symlink(".git", "nowhere")
    with pytest.raises(GitError):
        discover(str(plain.root))


@pytest.mark.req("T10", "C32")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_checkout_of_another_owner_is_refused_in_git_s_words(repo: Repo) -> None:
    repo.write("a").commit()
    for place in (repo.root, repo.root / ".git"):
        os.chown(place, 12345, 12345)
    with pytest.raises(GitError, match="dubious ownership") as caught:
        discover(str(repo.root))
    assert "owner" in (caught.value.problems[0].hint or "")


@pytest.mark.req("T10", "C32")
def test_a_refusal_of_any_kind_is_told_and_never_outside_git(
    repo: Repo, plain: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    script(tmp_path / "bin/git", "echo 'fatal: detected dubious ownership in x' >&2; exit 128")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    for root in (repo.root, plain.root):
        with pytest.raises(GitError, match="ended with 128 and said: fatal: detected dubious ownership in x"):
            discover(str(root))


@pytest.mark.req("T11")
def test_git_is_an_absolute_path_outside_the_checkout(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = find_git(str(repo.root))
    assert real is not None
    script(repo.write("bin/git").root / "bin/git", f'touch "{tmp_path}/sprung"')
    script(repo.root / "git", f'touch "{tmp_path}/sprung"')
    (tmp_path / "to-bin").symlink_to(repo.root / "bin")
    (tmp_path / "to-git").mkdir()
    (tmp_path / "to-git/git").symlink_to(repo.root / "git")
    (tmp_path / "folder/git").mkdir(parents=True)
    (tmp_path / "text").mkdir()
    (tmp_path / "text/git").write_text("")
    outside = f"{tmp_path}/to-bin:{tmp_path}/to-git:{tmp_path}/folder:{tmp_path}/text"
    hostile = f".::bin:{repo.root}:{repo.root}/:{repo.root}/bin:{repo.root}/bin/../bin:{outside}:/nowhere"
    monkeypatch.chdir(repo.root)
    for start in (repo.root, repo.root / "bin"):
        monkeypatch.setenv("PATH", f"{hostile}:{os.path.dirname(real)}")
        assert real == find_git(str(start))
        assert None is not discover(str(start))
        for path in (hostile, "", ":", "."):
            monkeypatch.setenv("PATH", path)
            assert None is find_git(str(start))
            with pytest.raises(GitError) as caught:
                discover(str(start))
            assert "no-git" == caught.value.problems[0].code
    monkeypatch.delenv("PATH")
    assert None is find_git(str(repo.root))
    assert not (tmp_path / "sprung").exists()


@pytest.mark.req("T11")
def test_outside_git_a_git_among_the_project_s_files_is_passed_over_too(
    plain: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(plain.write("bin/git").root / "bin/git", f'touch "{tmp_path}/sprung"')
    monkeypatch.setenv("PATH", f"{plain.root}/bin")
    assert None is discover(str(plain.root))
    assert not (tmp_path / "sprung").exists()


@pytest.mark.req("T11")
def test_a_look_alike_of_the_checkout_s_name_is_outside_it(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    beside = repo.root.with_name(repo.root.name + "-tools")
    beside.mkdir()
    program = script(beside / "git", "")
    monkeypatch.setenv("PATH", str(beside))
    assert str(program) == find_git(str(repo.root))


@pytest.mark.req("T33")
def test_a_folder_that_cannot_be_looked_into_is_not_outside_git(plain: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.lstat

    def refusing(path: str, **more: int) -> os.stat_result:
        if str(path).endswith("/.git"):
            raise PermissionError(errno.EACCES, "refused")
        return real(path, **more)

    monkeypatch.setattr(os, "lstat", refusing)
    with pytest.raises(FileError):
        discover(str(plain.root))


@pytest.mark.req("T11")
def test_a_git_that_never_ends_is_ended_with_whatever_it_started_left_alone(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What it starts keeps our pipe open until somebody opens the FIFO, which happens only after we gave up.
    os.mkfifo(tmp_path / "fifo")
    stuck = script(tmp_path / "git", f"cat {tmp_path}/fifo & echo $! > {tmp_path}/started; wait")
    monkeypatch.setattr(git_module, "TIMEOUT", 0.05)
    running = Git(str(stuck), str(repo.root)).start("ls-files")
    with pytest.raises(GitError, match="git ls-files did not end within 0 seconds"):
        running.output()
    os.close(os.open(tmp_path / "fifo", os.O_RDWR))
    running = Git(str(stuck), str(repo.root)).start("ls-files")
    running.abandon()
    os.close(os.open(tmp_path / "fifo", os.O_RDWR))
    assert None is not running._process.returncode


def test_a_git_that_cannot_start_or_fails_is_an_error(repo: Repo) -> None:
    with pytest.raises(GitError) as caught:
        Git(str(repo.root / "nowhere"), str(repo.root)).run("version")
    assert "no-git" == caught.value.problems[0].code
    with pytest.raises(GitError, match="git rev-parse ended with 128 and said: fatal: "):
        found(repo.root)[0].run("rev-parse", "--verify", "nowhere")
    assert 128 == found(repo.root)[0].answer("rev-parse", "--verify", "nowhere").code


@pytest.mark.req("T16")
@pytest.mark.parametrize(
    "said",
    [
        "",
        "sha1",
        "sha1\\nfalse\\n/g\\n\\n/t",
        "sha3\\nfalse\\n/g\\n\\n/t\\n",
        "sha1\\nmaybe\\n/g\\n\\n/t\\n",
        "\\0\\0\\n" * 6,
    ],
)
def test_an_answer_out_of_form_is_an_error(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    (tmp_path / "bin").mkdir()
    script(tmp_path / "bin/git", f"printf '{said}'")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    with pytest.raises(GitError, match="out of form"):
        discover(str(repo.root))
    git = Git(str(tmp_path / "bin/git"), str(repo.root))
    with pytest.raises(GitError, match="out of form"):
        list(read_blobs(git, ["1" * 40]))
    with pytest.raises(GitError, match="out of form"):
        blob_sizes(git, ["1" * 40])
    if said:  # no answer at all is that of an empty tree
        with pytest.raises(GitError, match="out of form"):
            list_tree(git, "HEAD", "")
        with pytest.raises(GitError, match="out of form"):
            read_listing(start_listing(git))


@pytest.mark.req("T12", "C3")
def test_every_object_that_is_read_is_checked(repo: Repo) -> None:
    repo.write("a\nHEAD:secret", "a").write("big", b"x" * 100_000).write("empty").commit()
    git = found(repo.root)[0]
    oids = [entry.oid for entry in list_tree(git, "HEAD", "")] * 3
    assert oids == [oid for oid, _ in read_blobs(git, oids)]
    assert all(blob_id(data, "sha1") == oid for oid, data in read_blobs(git, oids))
    assert {oid: len(data) for oid, data in read_blobs(git, oids)} == blob_sizes(git, oids)
    assert [] == list(read_blobs(git, []))
    assert {} == blob_sizes(git, [])
    for wrong, reason in (("1" * 40, "is missing from this clone"), (repo.git("rev-parse", "HEAD"), "out of form")):
        with pytest.raises(GitError, match=reason):
            list(read_blobs(git, [oids[0], wrong]))
        with pytest.raises(GitError, match=reason):
            blob_sizes(git, [oids[0], wrong])


@pytest.mark.req("T12")
def test_more_requests_than_a_pipe_holds_do_not_lock(repo: Repo) -> None:
    repo.write("a", b"x" * 100).commit()
    oid = repo.git("rev-parse", "HEAD:a")
    assert 10_000 == len(list(read_blobs(found(repo.root)[0], [oid] * 10_000)))


@pytest.mark.req("T12")
def test_a_damaged_object_is_refused(repo: Repo) -> None:
    repo.write("a", "one").write("b", "two").commit()
    one, two = (repo.git("rev-parse", f"HEAD:{name}") for name in "ab")
    objects = repo.root / ".git/objects"
    target = objects / one[:2] / one[2:]
    target.chmod(0o644)
    target.write_bytes((objects / two[:2] / two[2:]).read_bytes())
    with pytest.raises(GitError):
        list(read_blobs(found(repo.root)[0], [one]))


@pytest.mark.req("T12")
def test_bytes_that_do_not_give_their_id_are_refused(repo: Repo, tmp_path: Path) -> None:
    liar = script(tmp_path / "git", f"printf '{'1' * 40} blob 3\\nabc\\n'")
    with pytest.raises(GitError, match="is damaged"):
        list(read_blobs(Git(str(liar), str(repo.root)), ["1" * 40]))


@pytest.mark.req("T6", "C4")
def test_replaced_objects_are_not_believed(repo: Repo) -> None:
    base = repo.write("p", "strict\n").commit()
    before = answers(repo.root)
    weak = repo.write("p", "weak\n").commit()
    repo.git("replace", base, weak)
    repo.git("replace", repo.git("rev-parse", f"{base}:p"), repo.git("rev-parse", f"{weak}:p"))
    repo.git("reset", "-q", "--hard", base)
    git = found(repo.root)[0]
    entries = list_tree(git, base, "")
    assert before[2] == entries
    assert [b"strict\n"] == [data for _, data in read_blobs(git, [entries[0].oid])]


@pytest.mark.req("T8", "C3")
def test_a_partial_clone_reaches_no_network_and_names_what_it_lacks(repo: Repo, tmp_path: Path) -> None:
    repo.write("a", "a").commit()
    oid = repo.git("rev-parse", "HEAD:a")
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{repo.root}", str(tmp_path / "partial"))
    partial = Repo(tmp_path / "partial")
    evil = script(tmp_path / "evil", f'touch "{tmp_path}/sprung"')
    partial.git("config", "core.sshCommand", str(evil))
    partial.git("config", "remote.origin.uploadpack", str(evil))
    for url in (f"file://{repo.root}", "ssh://nowhere/x"):
        partial.git("config", "remote.origin.url", url)
        git = found(partial.root)[0]
        assert ["a"] == [entry.path for entry in list_tree(git, "HEAD", "")]
        with pytest.raises(GitError, match=oid):
            list(read_blobs(git, [oid]))
        with pytest.raises(GitError, match=oid):
            blob_sizes(git, [oid])
    assert not (tmp_path / "sprung").exists()


@pytest.mark.req("T13")
def test_a_listing_is_that_of_the_folder_from_any_folder(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repo.write("sub/x/a", "a").write("sub/b", "b").write("top", "t").write("subway", "s")
    commit = repo.commit()
    git = found(repo.root / "sub")[0]
    for folder in (repo.root, repo.root / "sub/x", tmp_path):
        monkeypatch.chdir(folder)
        assert ["b", "x/a"] == [entry.path for entry in list_tree(git, commit, "sub")]
        assert ["b", "x/a"] == listing(repo.root / "sub").paths
        assert [] == list_tree(git, commit, "nowhere")
        assert [] == list_tree(git, commit, "top")
        assert ["sub/b", "sub/x/a", "subway", "top"] == [entry.path for entry in list_tree(git, commit, "")]


@pytest.mark.req("T23")
@pytest.mark.parametrize("commit", ["--help", "-z", "nowhere", "", "HEAD:nowhere"])
def test_a_commit_that_is_none_is_an_error_and_no_option(repo: Repo, commit: str) -> None:
    repo.write("a").commit()
    with pytest.raises(GitError):
        list_tree(found(repo.root)[0], commit, "")


@pytest.mark.req("T15", "T41")
def test_odd_names_are_listed_as_they_are(repo: Repo) -> None:
    names = [
        b" ",
        b"*.ts",
        b"-rf",
        b":!x",
        b":(top)q",
        b"H 100644 x\ty",
        b"[id].ts",
        b"\\",
        b"a\nb",
        b"a\rb",
        b"b\xff",
        b'q"x',
    ]
    for name in names:
        repo.write(name, name)
    untracked = sorted(map(os.fsdecode, names))
    assert untracked == listing(repo.root).paths
    commit = repo.commit()
    found_now = listing(repo.root)
    assert untracked == found_now.paths
    assert {} == found_now.odd
    git = found(repo.root)[0]
    entries = list_tree(git, commit, "")
    assert untracked == [entry.path for entry in entries]
    blobs = dict(read_blobs(git, [entry.oid for entry in entries]))
    assert [os.fsencode(entry.path) for entry in entries] == [blobs[entry.oid] for entry in entries]


@pytest.mark.req("T32", "T37", "T47")
def test_a_listing_tells_what_is_odd_about_a_path(repo: Repo) -> None:
    repo.write(".gitignore", "ignored\nforced\n").write("plain").write("runs").write("sparse").write("assumed").write(
        "gone"
    )
    (repo.root / "runs").chmod(0o755)
    repo.symlink("link", "plain").write("forced").git("add", "-f", "forced")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    repo.git("add", ".gitignore", "plain", "runs", "sparse", "assumed", "gone", "link")
    repo.git("update-index", "--skip-worktree", "sparse")
    repo.git("update-index", "--assume-unchanged", "assumed")
    repo.remove("sparse", "gone").write("ignored").write("new").write("named").git("add", "-N", "named")
    Repo.new(repo.root / "nested").write("x").commit()
    seen = listing(repo.root)
    paths = [".gitignore", "assumed", "forced", "gone", "link", "module", "named", "nested/", "new", "plain", "runs"]
    assert [*paths, "sparse"] == seen.paths
    assert {"assumed", "link", "module", "nested/", "new", "sparse"} == seen.odd.keys()
    assert (False, 0, "", False) == seen.odd["new"][1:]
    assert (True, GITLINK_MODE, "1" * 40, False) == seen.odd["module"][1:]
    assert SYMLINK_MODE == seen.odd["link"].mode
    assert ["sparse"] == [path for path, row in seen.odd.items() if row.skip_worktree]
    assert seen.odd["assumed"].tracked


@pytest.mark.req("T47")
def test_a_path_in_conflict_is_listed_once(repo: Repo) -> None:
    repo.write("f", "1").commit()
    repo.git("checkout", "-q", "-b", "x")
    repo.write("f", "2").commit()
    repo.git("checkout", "-q", "main")
    repo.write("f", "3").commit()
    with pytest.raises(AssertionError):
        repo.git("merge", "x")
    assert ["f"] == listing(repo.root).paths


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_both_object_formats_are_read(tmp_path: Path, object_format: str) -> None:
    (tmp_path / "project").mkdir()
    repo = Repo(tmp_path / "project")
    repo.git("init", "-q", f"--object-format={object_format}", ".")
    repo.write("sub/a", "a").commit()
    git, repository = found(repo.root / "sub")
    expected = (str(repo.root), str(repo.root / ".git"), "sub", object_format, False)
    assert expected == repository
    oid = repo.git("rev-parse", "HEAD:sub/a")
    assert [(oid, b"a")] == list(read_blobs(git, [oid]))
    assert oid == blob_id(b"a", object_format)
    assert ["sub/a"] == [entry.path for entry in list_tree(git, repo.git("rev-parse", "HEAD"), "")]


def test_linked_work_trees_submodules_and_shallow_clones_are_told(repo: Repo, tmp_path: Path) -> None:
    repo.write("sub/a", "a").commit()
    repo.write("sub/a", "b").commit()
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    linked = found(tmp_path / "linked/sub")[1]
    assert (str(tmp_path / "linked"), "sub") == (linked.top, linked.prefix)
    assert str(repo.root / ".git/worktrees/linked") == linked.git_dir
    repo.git("clone", "-q", "--depth=1", f"file://{repo.root}", str(tmp_path / "shallow"))
    assert found(tmp_path / "shallow")[1].shallow
    outer = Repo.new(tmp_path / "outer")
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repo.root), "module")
    assert str(outer.root / "module") == found(outer.root / "module")[1].top
    assert GITLINK_MODE == listing(outer.root).odd["module"].mode
    (tmp_path / "through").symlink_to(repo.root / "sub")
    assert "sub" == found(tmp_path / "through")[1].prefix


def test_nothing_is_written_to_the_repository(repo: Repo) -> None:
    repo.write("a", "a").commit()
    os.utime(repo.root / "a", ns=(1, 1))
    before = repo.digest()
    answers(repo.root)
    assert before == repo.digest()
    assert stat.S_ISREG((repo.root / ".git/index").stat().st_mode)
