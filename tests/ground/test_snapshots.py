"""Three trees of one content agree, and git is asked so that nothing can lie about it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from builders.repo import Repo
from snob.errors import GitError, SnobError
from snob.ground.files import Kind
from snob.ground.git import Git, blob_id, discover, find_git, list_tree, read_blobs
from snob.ground.project import inside, locate
from snob.ground.snapshots import CommitTree, MemoryTree, WorkTree

if TYPE_CHECKING:
    from pathlib import Path

    from snob.ground.snapshots import Snapshot


def git_of(repo: Repo, folder: str = ".") -> Git:
    """A runner in a folder of a repository."""
    found = discover(str(repo.root / folder))
    assert found is not None
    return found[0]


@pytest.mark.req("F42", "T13")
def test_work_tree_commit_and_memory_agree_on_the_same_files(repo: Repo) -> None:
    files = {"a/b.txt": b"b\r\n", "a/é.txt": b"e", "c": b""}
    for path, data in files.items():
        repo.write(f"sub/{path}", data)
    commit = repo.symlink("sub/link", "a/b.txt").commit()
    git = git_of(repo, "sub")
    trees: list[Snapshot] = [WorkTree(str(repo.root / "sub"), git), CommitTree(git, commit, "sub"), MemoryTree(files)]
    paths = [*files, "nowhere"]
    assert 1 == len({tuple(tree.content_hashes(paths)) for tree in trees})
    assert [[*files, "link"], [*files, "link"], list(files)] == [tree.listing().paths for tree in trees]
    for tree in trees:
        assert b"b\r\n" == tree.read("a/b.txt", 10)
        assert [Kind.REGULAR, Kind.DIRECTORY, None] == [tree.kind(path) for path in ("c", "a", "x")]
        assert [("a/b.txt", Kind.REGULAR), ("a/é.txt", Kind.REGULAR)] == tree.below("a")
        for path in ("a", "x", "a/b.txt"):
            with pytest.raises(SnobError):
                tree.read(path, 2)
    assert trees[0].content_hashes(["link"]) == trees[1].content_hashes(["link"])
    for tree in trees[:2]:
        with pytest.raises(SnobError):
            tree.below("link")


@pytest.mark.req("T6", "C4")
def test_replaced_objects_are_not_believed(repo: Repo) -> None:
    base = repo.write("p", "strict\n").commit()
    weak = repo.write("p", "weak\n").commit()
    repo.git("replace", base, weak)
    assert b"strict\n" == CommitTree(git_of(repo), base, "").read("p", 100)


@pytest.mark.req("T12", "T8")
def test_every_object_that_is_read_is_checked(repo: Repo, tmp_path: Path) -> None:
    repo.write("a\nHEAD:secret", "a").write("big", b"x" * 100_000).commit()
    git = git_of(repo)
    oids = [entry.oid for entry in list_tree(git, "HEAD", "")] * 3
    assert oids == [oid for oid, _ in read_blobs(git, oids)]
    assert all(blob_id(data, "sha1") == oid for oid, data in read_blobs(git, oids))
    assert [] == list(read_blobs(git, []))
    with pytest.raises(GitError, match="is missing from this clone"):
        list(read_blobs(git, ["1" * 40]))
    with pytest.raises(GitError, match="out of form"):
        list(read_blobs(git, [repo.git("rev-parse", "HEAD")]))
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{repo.root}", str(tmp_path / "partial"))
    partial = Repo(tmp_path / "partial")
    partial.git("config", "core.sshCommand", f"touch {tmp_path}/sprung")
    partial.git("config", "remote.origin.url", "ssh://nowhere/x")
    with pytest.raises(GitError, match=f"{oids[0]}|{oids[1]}"):
        list(read_blobs(git_of(partial), oids))
    assert not (tmp_path / "sprung").exists()


def test_damaged_objects_are_refused(repo: Repo) -> None:
    repo.write("a", "one").write("b", "two").commit()
    one, two = (repo.git("rev-parse", f"HEAD:{name}") for name in "ab")
    objects = repo.root / ".git/objects"
    target = objects / one[:2] / one[2:]
    target.chmod(0o644)
    target.write_bytes((objects / two[:2] / two[2:]).read_bytes())
    with pytest.raises(GitError):
        list(read_blobs(git_of(repo), [one]))


def test_sha256_repositories_linked_work_trees_and_subfolders_are_found(tmp_path: Path) -> None:
    root = tmp_path / "sha256"
    root.mkdir()
    repo = Repo(root)
    repo.git("init", "-q", "--object-format=sha256", ".")
    repo.write("sub/a", "a").commit()
    found = discover(str(root / "sub"))
    assert found is not None
    assert ("sha256", "sub", False) == (found[1].object_format, found[1].prefix, found[1].shallow)
    assert ["sub/a"] == [entry.path for entry in list_tree(found[0], "HEAD", "")]
    assert [b"a"] == [data for _, data in read_blobs(found[0], [repo.git("rev-parse", "HEAD:sub/a")])]
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    linked = discover(str(tmp_path / "linked"))
    assert linked is not None
    assert str(tmp_path / "linked") == linked[1].top
    assert linked[1].git_dir.startswith(str(root / ".git/worktrees/"))


@pytest.mark.req("T47")
def test_a_conflict_is_listed_once_and_an_intent_to_add_too(repo: Repo) -> None:
    repo.write("f", "1").commit()
    repo.git("checkout", "-q", "-b", "x")
    repo.write("f", "2").commit()
    repo.git("checkout", "-q", "main")
    repo.write("f", "3").commit()
    with pytest.raises(AssertionError):
        repo.git("merge", "x")
    repo.write("new").git("add", "-N", "new")
    assert ["f", "new"] == WorkTree(str(repo.root), git_of(repo)).listing().paths


@pytest.mark.req("T11")
def test_git_is_found_by_an_absolute_path_outside_the_checkout(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    real = find_git(str(repo.root))
    assert real is not None
    repo.write("git", "#!/bin/sh\n")
    (repo.root / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{repo.root}:.::{os.path.dirname(real)}")
    assert real == find_git(str(repo.root))
    monkeypatch.setenv("PATH", f"{repo.root}:.:")
    assert None is find_git(str(repo.root))


def test_a_git_that_cannot_start_or_answers_nonsense_is_an_error(repo: Repo) -> None:
    with pytest.raises(GitError):
        Git(str(repo.root / "nowhere"), str(repo.root)).run("version")
    with pytest.raises(GitError, match="ended with"):
        git_of(repo).run("rev-parse", "--verify", "nowhere")
    with pytest.raises(GitError, match="out of form"):
        git_of(Repo(repo.root)).at(str(repo.root)).start("version").output() and list_tree(
            Git("/bin/echo", str(repo.root)), "HEAD", ""
        )


def test_the_root_is_where_the_settings_are_or_git_s_top_or_here(repo: Repo, plain: Repo) -> None:
    repo.write("a/b/c/f").write("a/snob.toml")
    assert str(repo.root / "a") == locate(str(repo.root / "a/b/c"), None, "snob.toml").root
    assert str(repo.root) == locate(str(repo.root / "a/b"), None, None).root
    assert str(repo.root / "a/b") == locate(str(repo.root), "a/b", "snob.toml").root
    found = locate(str(repo.root / "a/b/c"), None, "snob.toml")
    assert found.repository is not None
    assert "a" == found.repository.prefix
    assert "b/x" == inside(found, str(repo.root / "a/b"), "x")
    assert "" == inside(found, str(repo.root / "a/b"), "..")
    assert None is inside(found, str(repo.root / "a/b"), "../../x")
    plain.write("x/y/f").write("snob.toml")
    assert str(plain.root / "x/y") == locate(str(plain.root / "x/y"), None, "snob.toml").root
    with pytest.raises(SnobError):
        locate(str(plain.root), "nowhere", None)
