"""Three trees of one content agree: on disk, in a commit, and in memory."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from snob.errors import FileError, GitError, SnobError
from snob.ground import git as git_module
from snob.ground.digests import GITLINK, SYMLINK, content_hash
from snob.ground.files import CHUNK, Kind
from snob.ground.git import Git, discover
from snob.ground.hashing import ABSENT
from snob.ground.snapshots import CommitTree, MemoryTree, WorkTree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from builders.repo import Repo
    from snob.ground.snapshots import Snapshot

FILES = {"-": b"-", "a-b": b"1", "a/b.txt": b"b\r\n", "a/c/d": b"", "a/é.txt": b"e", "c": b"x" * 50}


def git_of(repo: Repo, folder: str = ".") -> Git:
    """A runner in a folder of a repository."""
    found = discover(str(repo.root / folder))
    assert found is not None
    return found[0]


@pytest.fixture(params=["on disk", "outside git", "in a commit", "in memory"])
def tree(request: pytest.FixtureRequest, repo: Repo) -> Iterator[Snapshot]:
    """The same files, each time in another kind of tree, in a subfolder of a repository where there is one."""
    if request.param == "in memory":
        yield MemoryTree(dict(reversed(FILES.items())))
        return
    repo.write("outside", "o")
    for path, data in FILES.items():
        repo.write(f"sub/{path}", data)
    commit = repo.commit()
    if request.param == "in a commit":
        yield CommitTree(git_of(repo, "sub"), commit, "sub")
        return
    tree = WorkTree(str(repo.root / "sub"), git_of(repo, "sub") if request.param == "on disk" else None)
    yield tree
    tree.abandon()


def code_of(step: Callable[[], object]) -> str:
    """The code of the problem that a step ends with."""
    with pytest.raises(SnobError) as caught:
        step()
    return caught.value.problems[0].code


@pytest.mark.req("F42", "T13")
def test_every_tree_lists_the_same_paths_in_one_order(tree: Snapshot) -> None:
    assert sorted(FILES) == tree.listing().paths
    assert sorted(FILES) == tree.listing().paths


@pytest.mark.req("F42", "T31")
def test_every_tree_has_the_same_hashes(tree: Snapshot) -> None:
    paths = sorted([*FILES, "a", "a/b.txt/x", "nowhere", "outside"])
    done: list[int] = []
    expected = [content_hash(FILES[path]) if path in FILES else ABSENT for path in paths]
    assert expected == tree.content_hashes(paths, done.append)
    assert len(paths) == sum(done)
    assert [] == tree.content_hashes([])


@pytest.mark.req("F42")
@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("c", Kind.REGULAR),
        ("a/b.txt", Kind.REGULAR),
        ("a", Kind.DIRECTORY),
        ("a/c", Kind.DIRECTORY),
        ("a/c/d/e", None),
        ("a/", None),
        ("x", None),
        ("outside", None),
        ("sub", None),
    ],
)
def test_every_tree_has_the_same_kinds(tree: Snapshot, path: str, kind: Kind | None) -> None:
    assert kind is tree.kind(path)


@pytest.mark.req("F42", "T60")
@pytest.mark.parametrize(
    ("path", "cap", "code"),
    [
        ("a", 9, "not-regular"),
        ("x", 9, "unreadable"),
        ("a/b.txt/x", 9, "unreadable"),
        ("a/b.txt", 2, "too-large"),
        ("outside", 9, "unreadable"),
    ],
)
def test_every_tree_refuses_the_same_reads(tree: Snapshot, path: str, cap: int, code: str) -> None:
    assert code == code_of(lambda: tree.read(path, cap))


@pytest.mark.req("F42")
def test_every_tree_reads_the_same_bytes(tree: Snapshot) -> None:
    assert FILES == {path: tree.read(path, len(data)) for path, data in FILES.items()}


@pytest.mark.req("F42", "T26")
def test_every_tree_has_the_same_below_its_folders_and_no_folder_at_a_file(tree: Snapshot) -> None:
    assert [(path, Kind.REGULAR) for path in ("a/b.txt", "a/c/d", "a/é.txt")] == tree.below("a")
    assert [("a/c/d", Kind.REGULAR)] == tree.below("a/c")
    assert [] == tree.below("nowhere/x")
    for folder in ("c", "c/x", "a/b.txt/x/y"):
        assert "not-regular" == code_of(lambda folder=folder: tree.check_folder(folder))  # type: ignore[misc]
        assert "not-regular" == code_of(lambda folder=folder: tree.below(folder))  # type: ignore[misc]
    for folder in ("a", "a/c", "nowhere"):
        tree.check_folder(folder)


@pytest.fixture
def odd(repo: Repo) -> Iterator[tuple[Snapshot, Snapshot]]:
    """A work tree with links and a submodule, and its commit."""
    repo.write("real/f", "f").symlink("link", "real/f").symlink("folder", "real").symlink("gone", "\x1b[31m")
    (repo.root / "module").mkdir()
    repo.git("add", "-A")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    repo.git("commit", "-q", "-m", "odd")
    tree = WorkTree(str(repo.root), git_of(repo))
    yield tree, CommitTree(git_of(repo), repo.git("rev-parse", "HEAD"), "")
    tree.abandon()


@pytest.mark.req("F42", "T31", "T35", "T36", "T37", "F21")
def test_links_and_submodules_are_what_they_are_on_disk_and_in_a_commit(odd: tuple[Snapshot, Snapshot]) -> None:
    expected = {
        "folder": (Kind.SYMLINK, content_hash(b"real", SYMLINK)),
        "folder/f": (None, ABSENT),
        "gone": (Kind.SYMLINK, content_hash(b"\x1b[31m", SYMLINK)),
        "link": (Kind.SYMLINK, content_hash(b"real/f", SYMLINK)),
        "module": (Kind.DIRECTORY, content_hash(b"1" * 40, GITLINK)),
        "real/f": (Kind.REGULAR, content_hash(b"f")),
    }
    for tree in odd:
        assert list(expected) == sorted([*tree.listing().paths, "folder/f"])
        assert {"folder", "gone", "link", "module"} == tree.listing().odd.keys()
        assert expected == {
            path: (tree.kind(path), content)
            for path, content in zip(expected, tree.content_hashes(list(expected)), strict=True)
        }
        for path in ("folder", "link", "module"):
            assert "not-regular" == code_of(lambda tree=tree, path=path: tree.read(path, 99))  # type: ignore[misc]
        for path in ("folder", "folder/x", "link", "gone/x/y"):
            assert "not-regular" == code_of(lambda tree=tree, path=path: tree.check_folder(path))  # type: ignore[misc]
            assert "not-regular" == code_of(lambda tree=tree, path=path: tree.below(path))  # type: ignore[misc]


@pytest.mark.req("T26")
def test_a_submodule_of_a_commit_is_no_folder_of_records(odd: tuple[Snapshot, Snapshot]) -> None:
    assert "not-regular" == code_of(lambda: odd[1].check_folder("module/x"))


@pytest.mark.req("T37", "T47")
@pytest.mark.parametrize("stands", ["nothing", "file", "link", "folder"])
def test_a_submodule_is_one_only_while_a_folder_stands_there(repo: Repo, stands: str) -> None:
    repo.write("x").git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    place = repo.root / "module"
    expected = ABSENT
    match stands:
        case "file":
            place.write_bytes(b"f")
            expected = content_hash(b"f")
        case "link":
            place.symlink_to("x")
            expected = content_hash(b"x", SYMLINK)
        case "folder":
            place.mkdir()
            expected = content_hash(b"1" * 40, GITLINK)
    assert [expected] == WorkTree(str(repo.root), git_of(repo)).content_hashes(["module"])


@pytest.mark.req("T32")
def test_outside_git_every_file_and_link_is_listed_and_no_folder_of_git_s(plain: Repo) -> None:
    plain.write(".gitignore", "*").write("a/.git/x").write("a/b").write(".git.txt").symlink("link", "a")
    os.mkfifo(plain.root / "fifo")
    seen = WorkTree(str(plain.root), None).listing()
    assert [".git.txt", ".gitignore", "a/b", "fifo", "link"] == seen.paths
    assert not any(row.tracked for row in seen.odd.values())


@pytest.mark.req("T32", "F42")
def test_what_git_ignores_is_read_below_a_folder_and_not_listed(repo: Repo) -> None:
    repo.write(".gitignore", "ignored\n").write("a/ignored", "i").write("a/b", "b")
    tree = WorkTree(str(repo.root), git_of(repo))
    assert [".gitignore", "a/b"] == tree.listing().paths
    assert ["a/b", "a/ignored"] == [path for path, _ in tree.below("a")]
    assert b"i" == tree.read("a/ignored", 9)


def test_a_listing_that_nobody_reads_is_ended(repo: Repo) -> None:
    tree = WorkTree(str(repo.root), git_of(repo))
    running = tree._running
    assert running is not None
    tree.abandon()
    assert None is not running._process.returncode
    read = WorkTree(str(repo.root), git_of(repo))
    read.listing()
    read.abandon()
    WorkTree(str(repo.root), None).abandon()


@pytest.mark.req("T6", "C4")
def test_a_commit_is_read_without_replace_refs(repo: Repo) -> None:
    base = repo.write("p", "strict\n").commit()
    weak = repo.write("p", "weak\n").commit()
    repo.git("replace", base, weak)
    repo.git("replace", repo.git("rev-parse", f"{base}:p"), repo.git("rev-parse", f"{weak}:p"))
    tree = CommitTree(git_of(repo), base, "")
    assert b"strict\n" == tree.read("p", 100)
    assert [content_hash(b"strict\n")] == tree.content_hashes(["p"])


@pytest.mark.req("T31")
def test_the_bytes_of_a_commit_are_those_that_are_stored(repo: Repo) -> None:
    repo.write(".gitattributes", "* text eol=crlf ident\n").write("f", "$Id$\r\n").commit()
    tree = CommitTree(git_of(repo), repo.git("rev-parse", "HEAD"), "")
    assert b"$Id$\n" == tree.read("f", 100)
    assert b"$Id$\r\n" == WorkTree(str(repo.root), None).read("f", 100)


@pytest.mark.req("F42")
def test_a_folder_that_a_commit_does_not_have_is_an_empty_tree(repo: Repo) -> None:
    commit = repo.write("a/b", "b").commit()
    for prefix in ("nowhere", "a/b", "a/", "A"):
        tree = CommitTree(git_of(repo), commit, prefix)
        assert ([], None, [ABSENT]) == (tree.listing().paths, tree.kind("b"), tree.content_hashes(["b"]))


@pytest.mark.req("T21", "T8")
def test_an_object_that_is_missing_is_an_error_and_no_absence(repo: Repo) -> None:
    commit = repo.write("a", "a").write("b", "b").commit()
    oid = repo.git("rev-parse", "HEAD:a")
    (repo.root / ".git/objects" / oid[:2] / oid[2:]).unlink()
    tree = CommitTree(git_of(repo), commit, "")
    with pytest.raises(GitError, match=oid):
        tree.read("a", 9)
    with pytest.raises(GitError, match=oid):
        tree.content_hashes(["a", "b"])
    with pytest.raises(GitError, match=oid):
        tree.prefetch(["a", "b"])
    assert b"b" == CommitTree(git_of(repo), commit, "").read("b", 9)


@pytest.mark.req("T60")
def test_a_blob_that_is_too_large_is_refused_before_it_is_read(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = repo.write("d/large", b"x" * (CHUNK + 1)).write("d/small", b"y").commit()
    read: list[str] = []
    real: Any = git_module.read_blobs

    def recording(git: Git, oids: list[str]) -> Any:
        read.extend(oids)
        return real(git, oids)

    monkeypatch.setattr(git_module, "read_blobs", recording)
    tree = CommitTree(git_of(repo), commit, "")
    assert ["d/large", "d/small"] == [path for path, _ in tree.below("d")]
    assert "too-large" == code_of(lambda: tree.read("d/large", CHUNK))
    assert b"y" == tree.read("d/small", 1)
    assert "too-large" == code_of(lambda: tree.read("d/small", 0))
    assert [repo.git("rev-parse", "HEAD:d/small")] == read
    assert CHUNK + 1 == len(tree.read("d/large", CHUNK + 1))


def test_each_object_of_a_commit_is_read_once(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = repo.write("a", "same").write("b", "same").symlink("link", "same").write("c", "other").commit()
    read: list[str] = []
    real: Any = git_module.read_blobs

    def recording(git: Git, oids: list[str]) -> Any:
        read.extend(oids)
        return real(git, oids)

    monkeypatch.setattr(git_module, "read_blobs", recording)
    tree = CommitTree(git_of(repo), commit, "")
    same = content_hash(b"same")
    expected = [same, same, content_hash(b"other"), content_hash(b"same", SYMLINK)]
    assert expected == tree.content_hashes(["a", "b", "c", "link"])
    assert expected == tree.content_hashes(["a", "b", "c", "link"])
    assert b"same" == tree.read("a", 9)
    assert 2 == len(read)


@pytest.mark.req("T33")
def test_a_work_tree_whose_root_is_gone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError):
        WorkTree(str(tmp_path / "nowhere"), None)
