"""Reading that follows nothing and waits for nothing; writing that is whole or not at all."""

from __future__ import annotations

import errno
import os
import socket
import stat
import sys
from functools import partial
from typing import TYPE_CHECKING

import pytest

from snob.errors import FileError
from snob.ground import files
from snob.ground.digests import content_hash
from snob.ground.files import Folders, Kind, Tree, absent_among, kind_of_mode, replace, stamp_beside, write_new
from snob.ground.hashing import ABSENT, hash_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

LONG = "x" * 300
"""A name that no file system takes: looking it up fails for everybody, root included."""
IMPOSSIBLE = ["a\0", "a\0/f", "a/b\0", "\ud800", "a/\ud800/f"]
"""Names that the operating system cannot even be asked about."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree with a file, links, a FIFO, a socket and a linked folder."""
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/f").write_bytes(b"f\n")
    (tmp_path / "link").symlink_to("a/b/f")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "folder").symlink_to("a")
    os.mkfifo(tmp_path / "fifo")
    with socket.socket(socket.AF_UNIX) as bound:
        here = os.open(tmp_path, os.O_RDONLY)
        bound.bind(f"/proc/self/fd/{here}/socket" if sys.platform == "linux" else str(tmp_path / "socket"))
        os.close(here)
    return tmp_path


@pytest.fixture
def tree(root: Path) -> Iterator[Tree]:
    """The tree, opened."""
    opened = Tree(str(root))
    yield opened
    opened.close()


def code_of(step: Callable[[], object]) -> str:
    """The code of the one problem that a step ends with."""
    with pytest.raises(FileError) as caught:
        step()
    assert 1 == len(caught.value.problems)
    return caught.value.problems[0].code


def open_descriptors() -> list[str]:
    """What this process holds open."""
    return os.listdir("/proc/self/fd" if sys.platform == "linux" else "/dev/fd")


@pytest.mark.req("T33", "T35", "T36", "T37")
@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("a", Kind.DIRECTORY),
        ("a/b/f", Kind.REGULAR),
        ("link", Kind.SYMLINK),
        ("loop", Kind.SYMLINK),
        ("folder", Kind.SYMLINK),
        ("fifo", Kind.SPECIAL),
        ("socket", Kind.SPECIAL),
        ("folder/b/f", None),
        ("link/x", None),
        ("loop/x", None),
        ("a/b/f/g", None),
        ("fifo/x", None),
        ("nowhere", None),
        ("nowhere/x", None),
        ("a/../a/b/f", None),
        ("./a/b", None),
        ("../x", None),
        ("a//b/f", None),
        *((path, None) for path in IMPOSSIBLE),
    ],
)
def test_what_stands_at_a_path_is_told_without_following_a_link(tree: Tree, path: str, kind: Kind | None) -> None:
    assert kind is tree.kind(path)


@pytest.mark.req("T33")
@pytest.mark.parametrize("path", [LONG, f"{LONG}/x", f"a/{LONG}"])
def test_what_cannot_be_looked_at_is_an_error_and_never_absent(tree: Tree, path: str) -> None:
    assert "unreadable" == code_of(lambda: tree.kind(path))
    assert "unreadable" == code_of(lambda: tree.read(path, 10))
    assert "unreadable" == code_of(lambda: tree.read_link(path))
    assert "unreadable" == code_of(lambda: tree.entries(path))
    assert "unreadable" == code_of(lambda: list(tree.walk(path)))
    assert [] == absent_among(tree.root, [path], frozenset())


@pytest.mark.req("T33")
def test_a_refusal_of_permission_is_an_error_and_never_absent(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def refusing(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path in {"a", "."}:
            raise PermissionError(errno.EACCES, "refused")
        return real(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", refusing)
    for step in (lambda: tree.kind("a/b"), lambda: tree.read("a/b", 9), lambda: tree.entries("")):
        assert "unreadable" == code_of(step)
    assert "unreadable" == code_of(lambda: absent_among(tree.root, ["a/nowhere"], frozenset()))
    monkeypatch.setattr(files, "_folds_names", lambda _: False)
    assert [] == absent_among(tree.root, ["a/nowhere"], frozenset())


@pytest.mark.req("T33", "T35", "T36", "T37", "T61")
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("link", "not-regular"),
        ("loop", "not-regular"),
        ("folder", "not-regular"),
        ("fifo", "not-regular"),
        ("a", "not-regular"),
        ("socket", "unreadable"),
        ("folder/b/f", "unreadable"),
        ("nowhere", "unreadable"),
        ("a/b/f/g", "unreadable"),
        ("a/../a/b/f", "unreadable"),
        *((path, "unreadable") for path in IMPOSSIBLE),
    ],
)
def test_only_a_regular_file_is_read(tree: Tree, path: str, code: str) -> None:
    assert code == code_of(lambda: tree.read(path, 100))


@pytest.mark.req("T60")
def test_a_file_is_read_up_to_its_cap(tree: Tree, root: Path) -> None:
    assert b"f\n" == tree.read("a/b/f", 2)
    assert "too-large" == code_of(lambda: tree.read("a/b/f", 1))
    with (root / "sparse").open("wb") as file:
        file.truncate(10_000_000_000)
    assert "too-large" == code_of(lambda: tree.read("sparse", 1_000_000))
    (root / "empty").write_bytes(b"")
    assert b"" == tree.read("empty", 0)
    large = os.urandom(files.CHUNK) * 2 + b"end"
    (root / "large").write_bytes(large)
    assert large == tree.read("large", len(large))


def changing(monkeypatch: pytest.MonkeyPatch, field: int, times: int) -> None:
    """Let the next looks at an open file tell one more in `field` each, as if somebody wrote meanwhile."""
    real = os.fstat
    looks = iter(range(1, times + 1))

    def moved(descriptor: int) -> os.stat_result:
        state = real(descriptor)
        if not stat.S_ISREG(state.st_mode):
            return state
        values = list(state)
        values[field] += next(looks, 0)
        more = {name: getattr(state, name) for name in ("st_mtime_ns", "st_ctime_ns")}
        return os.stat_result(values, more)

    monkeypatch.setattr(os, "fstat", moved)


@pytest.mark.req("T61")
@pytest.mark.parametrize("field", [stat.ST_SIZE, stat.ST_INO])
def test_a_file_that_moves_twice_while_it_is_read_is_refused(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, field: int
) -> None:
    changing(monkeypatch, field, 4)
    assert "moving" == code_of(lambda: tree.read("a/b/f", 100))


@pytest.mark.req("T61")
def test_a_file_that_moved_once_is_read_again(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    changing(monkeypatch, stat.ST_INO, 2)
    assert b"f\n" == tree.read("a/b/f", 100)


@pytest.mark.req("T61")
def test_a_file_that_grows_is_not_followed(tree: Tree, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.read
    sizes = []

    def growing(descriptor: int, size: int) -> bytes:
        with (root / "a/b/f").open("ab") as file:
            file.write(b"more" * 1000)
        sizes.append(size)
        return real(descriptor, size)

    monkeypatch.setattr(os, "read", growing)
    assert "moving" == code_of(lambda: tree.read("a/b/f", 10**9))
    assert [3, 4003] == sizes


@pytest.mark.req("T61")
@pytest.mark.parametrize("size", [0, 1, 3])
def test_bytes_of_another_number_than_the_size_are_not_believed(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    # Some file systems tell a size that is not that of the content, and the same one before and after.
    real = os.fstat
    monkeypatch.setattr(os, "fstat", lambda fd: os.stat_result([*real(fd)[:6], size, *real(fd)[7:]]))
    assert "moving" == code_of(lambda: tree.read("a/b/f", 100))


def test_a_link_is_told_as_its_bytes(tree: Tree, root: Path) -> None:
    os.symlink(b"\xff\n", os.fsencode(root) + b"/odd")
    assert b"\xff\n" == tree.read_link("odd")
    assert b"loop" == tree.read_link("loop")
    for path in ("a", "a/b/f", "nowhere", "folder/x", *IMPOSSIBLE):
        assert "unreadable" == code_of(partial(tree.read_link, path))


@pytest.mark.req("T36", "T37")
def test_a_folder_is_listed_with_kinds_and_a_walk_enters_no_link(tree: Tree, root: Path) -> None:
    (root / "a/.git").mkdir()
    (root / "a/.git/x").write_bytes(b"")
    kinds = {
        "a": Kind.DIRECTORY,
        "fifo": Kind.SPECIAL,
        "folder": Kind.SYMLINK,
        "link": Kind.SYMLINK,
        "loop": Kind.SYMLINK,
        "socket": Kind.SPECIAL,
    }
    assert list(kinds.items()) == tree.entries("")
    assert [".git", "b"] == tree.names("a")
    for path in ("nowhere", "folder", "loop", "a/b/f", "fifo", "a/..", *IMPOSSIBLE):
        assert [] == tree.entries(path), path
    everything = [("a/.git/x", Kind.REGULAR), ("a/b/f", Kind.REGULAR), *list(kinds.items())[1:]]
    assert everything == sorted(tree.walk(), key=lambda item: item[0])
    assert everything[1:] == sorted(tree.walk(skip=frozenset({".git"})), key=lambda item: item[0])
    assert [("a/b/f", Kind.REGULAR)] == list(tree.walk("a/b"))


@pytest.mark.req("T41")
def test_a_name_that_is_no_utf8_is_found_by_its_bytes(tree: Tree, root: Path) -> None:
    name = os.fsdecode(b"a/\xff\n")
    (root / name).write_bytes(b"odd")
    assert b"odd" == tree.read(name, 10)
    assert name in dict(tree.walk())


@pytest.mark.req("T33", "T36")
def test_absent_is_what_is_not_there_or_lies_behind_a_link_or_became_a_folder(root: Path) -> None:
    paths = ["a", "a/b", "a/b/f", "a/b/f/g", "fifo", "folder", "folder/b/f", "link", "loop/x", "nowhere", *IMPOSSIBLE]
    expected = ["a", "a/b/f/g", "folder/b/f", "loop/x", "nowhere", *IMPOSSIBLE]
    assert expected == absent_among(str(root), paths, frozenset({"a/b"}))


def test_folders_stay_open_only_on_the_way_to_the_last_one(root: Path) -> None:
    before = len(open_descriptors())
    with Folders(str(root)) as folders:
        for directory in ("a", "a/b", "a", "", "a/b"):
            state = os.stat(root / directory)
            assert os.path.samestat(state, os.fstat(folders.enter(directory)))
        for directory in ("folder", "nowhere/x", "a/b/f"):
            with pytest.raises(OSError, match=r"Not a directory|No such file"):
                folders.enter(directory)
        assert before + 3 >= len(open_descriptors())
        assert os.path.samestat(os.stat(root / "a"), os.fstat(folders.enter("a")))
    assert before == len(open_descriptors())


def test_a_root_that_is_no_folder_is_refused_and_leaves_nothing_open(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = len(open_descriptors())
    for path in ("nowhere", "a/b/f", "fifo", "loop"):
        assert "unreadable" == code_of(partial(Tree, str(root / path)))

    def failing(folder: int) -> bool:
        raise PermissionError(errno.EACCES, "refused")

    monkeypatch.setattr(files, "_folds_names", failing)
    assert "unreadable" == code_of(lambda: Tree(str(root)))
    assert before == len(open_descriptors())


def test_a_root_may_itself_be_reached_through_a_link(root: Path) -> None:
    tree = Tree(str(root / "folder"))
    assert b"f\n" == tree.read("b/f", 10)
    tree.close()


def test_every_mode_has_a_kind() -> None:
    kinds = [kind_of_mode(mode) for mode in (stat.S_IFREG, stat.S_IFLNK, stat.S_IFDIR)]
    assert [Kind.REGULAR, Kind.SYMLINK, Kind.DIRECTORY] == kinds
    assert {Kind.SPECIAL} == {
        kind_of_mode(mode) for mode in (stat.S_IFIFO, stat.S_IFSOCK, stat.S_IFCHR, stat.S_IFBLK, 0)
    }


def test_a_new_file_is_written_with_the_folders_above_it(root: Path) -> None:
    write_new(str(root), "new/deep/file", b"x")
    write_new(str(root), "top", b"")
    write_new(str(root), "new/deep/" + "n" * 255, b"long")
    assert b"x" == (root / "new/deep/file").read_bytes()
    assert ["file", "n" * 255] == sorted(os.listdir(root / "new/deep"))
    assert 1 == (root / "top").stat().st_nlink


@pytest.mark.req("T26", "T36", "T66")
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("a/b/f", "exists"),
        ("a/b", "exists"),
        ("link", "exists"),
        ("loop", "exists"),
        ("fifo", "exists"),
        ("folder/x", "unwritable"),
        ("folder/new/x", "unwritable"),
        ("a/b/f/x", "unwritable"),
        ("loop/x", "unwritable"),
        ("../x", "unwritable"),
        ("a/../x", "unwritable"),
        (LONG, "unwritable"),
        ("a\0", "unwritable"),
        ("a\0/x", "unwritable"),
    ],
)
def test_a_new_file_replaces_nothing_and_leaves_nothing_behind(root: Path, path: str, code: str) -> None:
    before = sorted(str(place) for place in root.parent.rglob("*"))
    assert code == code_of(lambda: write_new(str(root), path, b"y"))
    assert before == sorted(str(place) for place in root.parent.rglob("*"))
    assert b"f\n" == (root / "a/b/f").read_bytes()


@pytest.mark.parametrize("failing", ["write", "fsync", "link"])
def test_a_new_file_that_cannot_be_finished_is_not_there(
    root: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def full(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, failing, full)
    assert "unwritable" == code_of(lambda: write_new(str(root), "a/new", b"x"))
    assert ["b"] == os.listdir(root / "a")


@pytest.mark.parametrize("failing", ["write", "fsync", "replace"])
def test_a_file_that_cannot_be_replaced_stays_as_it_was(
    root: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def full(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, failing, full)
    assert "unwritable" == code_of(lambda: replace(str(root / "a/b/f"), b"x"))
    assert b"f\n" == (root / "a/b/f").read_bytes()
    assert ["f"] == os.listdir(root / "a/b")


def test_a_write_that_takes_few_bytes_at_a_time_is_carried_on(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, data[:3]))
    write_new(str(root), "a/new", b"0123456789")
    assert b"0123456789" == (root / "a/new").read_bytes()


def test_a_file_is_replaced_or_made(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (root / "a/b/f").open("rb") as reader:
        replace(str(root / "a/b/f"), b"new")
        assert b"f\n" == reader.read()
    assert b"new" == (root / "a/b/f").read_bytes()
    replace(str(root / "a/b/g"), b"g")
    monkeypatch.chdir(root)
    replace("here", b"h")
    assert b"h" == (root / "here").read_bytes()
    assert ["f", "g"] == sorted(os.listdir(root / "a/b"))


@pytest.mark.parametrize("path", ["a", "link", "loop", "fifo", "socket", "nowhere/f", "a/b/f/x", LONG, "a\0"])
def test_nothing_but_a_regular_file_is_replaced(root: Path, path: str) -> None:
    before = {str(place): place.lstat().st_ino for place in root.rglob("*")}
    assert "unwritable" == code_of(lambda: replace(f"{root}/{path}", b"x"))
    assert before == {str(place): place.lstat().st_ino for place in root.rglob("*")}
    assert b"f\n" == (root / "a/b/f").read_bytes()


def test_a_moment_is_told_by_the_file_system_itself(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = stamp_beside(str(root / "new/deep/cache"))
    (root / "new/deep/after").write_bytes(b"")
    assert first is not None
    assert first <= (root / "new/deep/after").stat().st_mtime_ns
    assert ["after"] == os.listdir(root / "new/deep")
    assert None is stamp_beside(str(root / "a/b/f/cache"))
    monkeypatch.chdir(root / "new")
    assert None is not stamp_beside("cache")


@pytest.mark.req("T39", "C11")
def test_on_a_file_system_that_folds_names_a_file_is_its_exact_spelling(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "src").mkdir()
    (root / "src/Users.ts").write_text("x")
    real = files._list
    respelt = {"Users.ts": "users.ts", "src": "src"}
    monkeypatch.setattr(files, "_folds_names", lambda _: True)
    monkeypatch.setattr(files, "_list", lambda folder: frozenset(respelt.get(name, name) for name in real(folder)))
    tree = Tree(str(root))
    assert None is tree.kind("src/Users.ts")
    assert None is tree.kind("SRC/x")
    assert Kind.REGULAR is tree.kind("a/b/f")
    with pytest.raises(FileError):
        tree.read("src/Users.ts", 10)
    tree.close()
    assert [ABSENT, content_hash(b"f\n")] == [
        content for content, _ in hash_files(str(root), ["src/Users.ts", "a/b/f"])
    ]
    assert ["src/Users.ts"] == absent_among(str(root), ["a/b/f", "src/Users.ts"], frozenset())


def test_a_file_system_is_asked_whether_it_folds_names(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    descriptor = os.open(root, os.O_RDONLY)
    if sys.platform != "darwin":
        assert not files._folds_names(descriptor)
    real = os.lstat
    monkeypatch.setattr(os, "lstat", lambda name, **more: real(name.swapcase() if name.isupper() else name, **more))
    assert files._folds_names(descriptor)
    os.close(descriptor)
