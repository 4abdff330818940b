"""Reading that follows nothing and waits for nothing; writing that is whole or not at all."""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snob.errors import FileError
from snob.ground import files, hashing
from snob.ground.digests import SYMLINK, content_hash
from snob.ground.files import Kind, Tree, absent_among, replace, write_new
from snob.ground.hashing import ABSENT, hash_files
from snob.ground.paths import path_fault, shown
from snob.ground.stat_cache import StatCache

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree with a file, links, a FIFO and a linked folder."""
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/f").write_bytes(b"f\n")
    (tmp_path / "link").symlink_to("a/b/f")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "folder").symlink_to("a")
    os.mkfifo(tmp_path / "fifo")
    return tmp_path


def read(root: Path, path: str) -> str:
    """The code of the problem of a read, or its text."""
    tree = Tree(str(root))
    try:
        return tree.read(path, 100).decode()
    except FileError as error:
        return error.problems[0].code
    finally:
        tree.close()


@pytest.mark.req("T33", "T35", "T36", "T37", "T61")
def test_nothing_is_followed_and_nothing_waited_for(root: Path) -> None:
    (root / "big").write_bytes(b"x" * 101)
    assert "f\n" == read(root, "a/b/f")
    for path, code in {
        "link": "not-regular", "loop": "not-regular", "fifo": "not-regular", "a": "not-regular", "big": "too-large",
        "folder/b/f": "unreadable", "nowhere": "unreadable", "a/b/f/g": "unreadable",
    }.items():  # fmt: skip
        assert code == read(root, path), path
    tree = Tree(str(root))
    kinds = {
        path: tree.kind(path) for path in ("a", "link", "fifo", "a/b/f", "folder/b/f", "a/b/f/g", "n", "loop/x", "a\0")
    }
    expected = [Kind.DIRECTORY, Kind.SYMLINK, Kind.SPECIAL, Kind.REGULAR, None, None, None, None, None]
    assert expected == list(kinds.values())
    with pytest.raises(FileError):
        tree.kind("x" * 300)
    assert {"a/b/f", "link", "loop", "folder", "fifo"} | {"big"} == {path for path, _ in tree.walk()}
    assert b"a/b/f" == tree.read_link("link")
    with pytest.raises(FileError):
        tree.read_link("a")
    assert [] == tree.names("nowhere")
    assert ["b"] == tree.names("a")
    tree.close()


@pytest.mark.req("T33", "T35", "T37")
def test_hashing_tells_kinds_apart_and_names_what_it_cannot_hash(root: Path) -> None:
    paths = ["a", "a/b/f", "folder", "folder/b/f", "link", "nowhere"]
    hashes = [content for content, _ in hash_files(str(root), paths)]
    links = [content_hash(b"a", SYMLINK), ABSENT, content_hash(b"a/b/f", SYMLINK)]
    assert [ABSENT, content_hash(b"f\n"), *links, ABSENT] == hashes
    with pytest.raises(FileError) as caught:
        hash_files(str(root), ["fifo", "x" * 300])
    assert ["special-file", "unreadable"] == [problem.code for problem in caught.value.problems]
    assert ["a", "folder/b/f", "nowhere"] == absent_among(str(root), paths, frozenset())


def test_workers_find_what_one_process_finds(tmp_path: Path) -> None:
    paths = []
    for number in range(2500):
        (tmp_path / f"{number % 7}").mkdir(exist_ok=True)
        (tmp_path / f"{number % 7}/{number}").write_bytes(b"%d\n" % number)
        paths.append(f"{number % 7}/{number}")
    (tmp_path / "large").write_bytes(b"x" * 3_000_001)
    paths = sorted([*paths, "large", "absent"])
    done: list[int] = []
    one = hash_files(str(tmp_path), paths, 1)
    assert one == hash_files(str(tmp_path), paths, 3, done.append)
    assert len(paths) == sum(done)
    assert content_hash(b"x" * 3_000_001) == one[paths.index("large")][0]


def test_a_worker_that_dies_is_a_defect_and_no_verdict(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashing, "_hash_share", lambda *_: 1 / 0)
    with pytest.raises(RuntimeError):
        hash_files(str(root), ["a/b/f"], 2)


@pytest.mark.req("T61")
def test_a_file_that_moves_while_it_is_read_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.read

    def touching(descriptor: int, size: int) -> bytes:
        data = real(descriptor, size)
        (root / "a/b/f").write_bytes(b"g%d" % os.stat(root / "a/b/f").st_mtime_ns)
        return data

    monkeypatch.setattr(os, "read", touching)
    assert "moving" == read(root, "a/b/f")
    with pytest.raises(FileError) as caught:
        hash_files(str(root), ["a/b/f"], 1)
    assert "moving" == caught.value.problems[0].code


def test_new_files_are_written_whole_and_over_nothing(root: Path) -> None:
    write_new(str(root), "new/deep/file", b"x")
    assert b"x" == (root / "new/deep/file").read_bytes()
    for path, code in {"a/b/f": "exists", "folder/x": "unwritable", "a/b/f/x": "unwritable", "link": "exists"}.items():
        with pytest.raises(FileError) as caught:
            write_new(str(root), path, b"y")
        assert code == caught.value.problems[0].code, path
    assert b"f\n" == (root / "a/b/f").read_bytes()
    assert ["b"] == os.listdir(root / "a")
    replace(str(root / "a/b/f"), b"new")
    assert b"new" == (root / "a/b/f").read_bytes()
    with pytest.raises(FileError):
        replace(str(root / "nowhere/f"), b"x")
    with pytest.raises(FileError):
        replace(str(root / "a"), b"x")
    assert ["b"] == os.listdir(root / "a")


@pytest.mark.req("T63")
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["one", "two", ""]), st.booleans()), max_size=6))
def test_a_cache_never_changes_a_hash(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, bool]]
) -> None:
    root = tmp_path_factory.mktemp("cached")
    cache = StatCache(str(root / "cache"), str(root))
    old = 1_600_000_000_000_000_000
    for name in "abc":
        (root / name).write_text("one")
        os.utime(root / name, ns=(old, old))
    for name, text, by_rename in steps:
        target = root / "new" if by_rename else root / name
        target.write_text(text)
        os.utime(target, ns=(old, old))
        target.rename(root / name)
        paths = ["a", "b", "c", "d"]
        plain = [content for content, _ in hash_files(str(root), paths)]
        assert plain == [content for content, _ in cache.hash_files(str(root), paths, None, lambda _: None)]


@pytest.mark.req("T63")
def test_a_cache_that_cannot_be_believed_is_as_none(root: Path) -> None:
    file = root / "cache"
    cache = StatCache(str(file), str(root))
    paths = ["a/b/f", "link"]
    expected = hash_files(str(root), paths)
    os.utime(root / "a/b/f", ns=(1, 1))
    expected = hash_files(str(root), paths)
    for _ in range(3):
        assert [row[0] for row in expected] == [
            row[0] for row in cache.hash_files(str(root), paths, None, lambda _: None)
        ]
    good = file.read_bytes()
    for bad in (
        b"",
        b"x",
        good[:-1],
        good[:30],
        good.replace(b"cache 1", b"cache 0"),
        good[:-1] + b"\0",
        good + b"x",
        os.urandom(500),
    ):
        file.write_bytes(bad)
        assert [row[0] for row in expected] == [
            row[0] for row in cache.hash_files(str(root), paths, None, lambda _: None)
        ]
    other = StatCache(str(file), "/elsewhere")
    assert [row[0] for row in expected] == [row[0] for row in other.hash_files(str(root), paths, None, lambda _: None)]
    nowhere = StatCache(str(root / "no/where"), str(root))
    assert [row[0] for row in expected] == [
        row[0] for row in nowhere.hash_files(str(root), paths, None, lambda _: None)
    ]
    assert [] == cache.hash_files(str(root), [], None, lambda _: None)
    assert [] == cache.hash_files(str(root), [], None, lambda _: None)


@pytest.mark.req("T26", "T66")
@pytest.mark.parametrize(
    "path", ["", "/a", "../a", "a/../b", "a//b", "a/", "./a", "a\0", "a\\b", "C:/x", ".git/x", "a/.GIT"]
)
def test_paths_that_wander_have_a_fault(path: str) -> None:
    assert path_fault(path) is not None
    assert path_fault("a/b.c/.d") is None


@pytest.mark.req("T41")
@given(st.text(), st.text())
def test_shown_texts_are_printable_and_distinct(one: str, other: str) -> None:
    assert shown(one).isprintable()
    if one != other:
        assert shown(one) != shown(other)


def test_the_errors_that_mean_absent_are_three() -> None:
    assert {errno.ENOENT, errno.ENOTDIR, errno.ELOOP} == {
        *__import__("snob.ground.files", fromlist=["x"]).ABSENT_ERRORS
    }


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
