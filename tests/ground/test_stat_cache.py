"""A cache saves work and never decides: whatever lies in it, the hashes are those of the files."""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snob.errors import FileError
from snob.ground import stat_cache
from snob.ground.digests import content_hash
from snob.ground.files import stamp_beside
from snob.ground.hashing import hash_files, key_of
from snob.ground.stat_cache import StatCache

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from snob.ground.hashing import Hashed

PATHS = ["a", "b/c", "link", "nowhere"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree with two files, a link, and nothing else."""
    (tmp_path / "tree/b").mkdir(parents=True)
    (tmp_path / "tree/a").write_bytes(b"one")
    (tmp_path / "tree/b/c").write_bytes(b"two")
    (tmp_path / "tree/link").symlink_to("a")
    return tmp_path / "tree"


@pytest.fixture
def cache(tmp_path: Path, root: Path) -> StatCache:
    """A cache of the tree, in a file beside it that is not there yet."""
    return StatCache(str(tmp_path / "cache"), str(root))


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that were really hashed, as they are."""
    found: list[str] = []

    def recording(root: str, paths: Sequence[str], *more: object) -> list[Hashed]:
        found.extend(paths)
        return hash_files(root, paths)

    monkeypatch.setattr(stat_cache, "hash_files", recording)
    return found


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let caches be written long after the files, so that no row is too young to be believed."""
    real = stamp_beside

    def stamp(target: str) -> int | None:
        now = real(target)
        return None if now is None else now + 10_000_000_000

    monkeypatch.setattr(stat_cache, "stamp_beside", stamp)


def hashes(cache: StatCache, root: Path, paths: Sequence[str] = PATHS) -> list[str]:
    """The content hashes by the cache, which have to be those of the files."""
    rows = cache.hash_files(str(root), paths, None, lambda _: None)
    assert hash_files(str(root), paths) == rows
    return [content for content, _ in rows]


@pytest.mark.req("T63")
@pytest.mark.usefixtures("later")
def test_what_was_not_touched_is_not_read_again(cache: StatCache, root: Path, read: list[str]) -> None:
    hashes(cache, root)
    assert PATHS == read
    read.clear()
    done: list[int] = []
    cache.hash_files(str(root), PATHS, None, done.append)
    assert ["link", "nowhere"] == read
    assert [2] == done


def tick(path: Path, before: os.stat_result) -> None:
    """Give a path the modification time of `before` again, at a later tick of the clock."""
    os.utime(path, ns=(1, before.st_mtime_ns), follow_symlinks=False)
    while os.lstat(path).st_ctime_ns == before.st_ctime_ns:
        os.utime(path, ns=(1, before.st_mtime_ns), follow_symlinks=False)


def kept_times(root: Path, write: Callable[[], object]) -> None:
    """Let `write` change the file `a`, and put its modification time back."""
    before = os.stat(root / "a")
    write()
    tick(root / "a", before)
    assert (before.st_mtime_ns, before.st_size) == (os.stat(root / "a").st_mtime_ns, os.stat(root / "a").st_size)


@pytest.mark.req("T63")
@pytest.mark.usefixtures("later")
def test_an_edit_of_one_size_with_the_old_time_put_back_is_seen(cache: StatCache, root: Path) -> None:
    os.utime(root / "a", ns=(1, 1))
    hashes(cache, root)
    kept_times(root, lambda: (root / "a").write_bytes(b"two"))
    assert content_hash(b"two") == hashes(cache, root)[0]


@pytest.mark.req("T63")
@pytest.mark.usefixtures("later")
def test_another_file_moved_over_it_is_seen(cache: StatCache, root: Path) -> None:
    (root / "other").write_bytes(b"two")
    os.utime(root / "other", ns=(1, 1))
    os.utime(root / "a", ns=(1, 1))
    hashes(cache, root)
    kept_times(root, lambda: (root / "other").rename(root / "a"))
    assert content_hash(b"two") == hashes(cache, root)[0]


@pytest.mark.req("T63")
@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("field", range(6))
def test_a_row_is_believed_only_where_every_field_is_as_it_was(
    cache: StatCache, root: Path, read: list[str], monkeypatch: pytest.MonkeyPatch, field: int
) -> None:
    hashes(cache, root)
    real = key_of

    def moved(state: os.stat_result) -> tuple[int, ...]:
        key = list(real(state))
        key[field] += 1
        return tuple(key)

    read.clear()
    monkeypatch.setattr(stat_cache, "key_of", moved)
    hashes(cache, root)
    assert PATHS == read


@pytest.mark.req("T63", "T35", "T37")
@pytest.mark.usefixtures("later")
def test_a_file_that_became_something_else_is_seen(cache: StatCache, root: Path) -> None:
    hashes(cache, root)
    (root / "a").unlink()
    (root / "a").symlink_to("b/c")
    hashes(cache, root)
    (root / "a").unlink()
    (root / "a").mkdir()
    hashes(cache, root)
    (root / "a").rmdir()
    hashes(cache, root)
    (root / "b").rename(root / "real")
    (root / "b").symlink_to("real")
    assert "" == hashes(cache, root)[1]
    os.mkfifo(root / "a")
    with pytest.raises(FileError):
        cache.hash_files(str(root), PATHS, None, lambda _: None)


@pytest.mark.req("T63")
@pytest.mark.parametrize("age", [0, 1_999_999_999, 2_000_000_000])
def test_a_row_that_is_too_young_is_read_again(
    cache: StatCache, root: Path, read: list[str], monkeypatch: pytest.MonkeyPatch, age: int
) -> None:
    # A change in the same tick of the clock as the one that was hashed leaves no trace in the times.
    newest = max(os.stat(root / path).st_ctime_ns for path in ("a", "b/c"))
    monkeypatch.setattr(stat_cache, "stamp_beside", lambda _: newest + age)
    hashes(cache, root)
    read.clear()
    hashes(cache, root, ["b/c"])
    assert ["b/c"] == read
    read.clear()
    monkeypatch.setattr(stat_cache, "stamp_beside", lambda _: newest + 2_000_000_001)
    hashes(cache, root, ["b/c"])
    read.clear()
    hashes(cache, root, ["b/c"])
    assert [] == read


@pytest.mark.req("T63")
def test_time_that_hashing_takes_makes_no_row_older(
    cache: StatCache, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The cache is written long after the file was hashed; the file was edited right after that, within one tick.
    before = stamp_beside(str(tmp_path / "cache"))
    hashes(cache, root)
    os.utime(tmp_path / "cache", ns=(2**62, 2**62))
    assert before is not None
    cached = cache._load()
    assert before <= cached.stamp <= before + 60_000_000_000
    real = key_of
    monkeypatch.setattr(stat_cache, "key_of", lambda state: (*real(state)[:2], before, *real(state)[3:]))
    assert [None] == stat_cache._untouched(str(root), ["a"], cached)


@pytest.mark.req("T63")
def test_a_modification_time_in_the_future_is_never_believed(cache: StatCache, root: Path, read: list[str]) -> None:
    os.utime(root / "a", ns=(2**62, 2**62))
    hashes(cache, root, ["a"])
    read.clear()
    hashes(cache, root, ["a"])
    assert ["a"] == read


@pytest.mark.req("T63")
@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(
            st.sampled_from("abc"),
            st.sampled_from(["write", "rename", "remove", "link"]),
            st.sampled_from(["one", "two", ""]),
            st.booleans(),
        ),
        max_size=8,
    )
)
@pytest.mark.usefixtures("later")
def test_a_cache_never_changes_a_hash(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, str, bool]]
) -> None:
    root = tmp_path_factory.mktemp("cached")
    cache = StatCache(str(root / "cache"), str(root))
    (root / "start").touch()
    before = os.stat(root / "start")
    for name, deed, text, look in steps:
        target = root / name
        if deed != "write" or target.is_symlink():
            target.unlink(missing_ok=True)
        if deed == "link":
            target.symlink_to(text or "x")
        elif deed != "remove":
            fresh = root / "new" if deed == "rename" else target
            fresh.write_text(text)
            fresh.rename(target)
        if deed != "remove":
            tick(target, before)
            before = os.lstat(target)
        if look:
            hashes(cache, root, ["a", "b", "c"])
    hashes(cache, root, ["a", "b", "c"])


def damaged(good: bytes, root: Path) -> dict[str, bytes]:
    """Caches that cannot be believed, and one that lies about its counts with a right checksum."""
    magic = stat_cache._MAGIC
    body = os.fsencode(root) + b"a\0b" + bytes(stat_cache._ROW.size)
    lie = stat_cache._HEAD.pack(1, 3, len(os.fsencode(root)), 2**62, stat_cache._check(2**62, body))
    return {
        "empty": b"",
        "short": b"x",
        "magic alone": magic,
        "cut head": good[: len(magic) + 20],
        "cut": good[:-1],
        "longer": good + b"x",
        "other version": good.replace(b"cache 2", b"cache 1"),
        "flipped bit": good[:-1] + bytes([good[-1] ^ 1]),
        "other moment": good[: len(magic) + 24] + struct.pack("<q", 2**62) + good[len(magic) + 32 :],
        "huge count": magic + struct.pack("<Q", 2**64 - 1) + good[len(magic) + 8 :],
        "noise": os.urandom(500),
        "noise after the magic": magic + os.urandom(500),
        "not ASCII": "é".encode("utf-16"),
        "lying counts": magic + lie + body,
    }


@pytest.mark.req("T63")
@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("name", damaged(b"x" * 200, Path("/")))
def test_a_damaged_cache_is_as_none(cache: StatCache, root: Path, tmp_path: Path, read: list[str], name: str) -> None:
    hashes(cache, root)
    (tmp_path / "cache").write_bytes(damaged((tmp_path / "cache").read_bytes(), root)[name])
    read.clear()
    hashes(cache, root)
    assert PATHS == read
    read.clear()
    hashes(cache, root)
    assert ["link", "nowhere"] == read


@pytest.mark.req("T63")
@pytest.mark.usefixtures("later")
def test_the_cache_of_another_root_is_as_none(cache: StatCache, root: Path, tmp_path: Path, read: list[str]) -> None:
    hashes(cache, root)
    read.clear()
    hashes(StatCache(str(tmp_path / "cache"), "/elsewhere"), root)
    assert PATHS == read


@pytest.mark.req("T63")
@pytest.mark.parametrize("stands", ["folder", "link", "fifo", "file above"])
def test_a_cache_that_cannot_be_kept_does_no_harm(root: Path, tmp_path: Path, stands: str) -> None:
    place = tmp_path / "cache"
    match stands:
        case "folder":
            place.mkdir()
        case "link":
            place.symlink_to(root / "a")
        case "fifo":
            os.mkfifo(place)
        case "file above":
            place.write_bytes(b"")
            place /= "below"
    cache = StatCache(str(place), str(root))
    for _ in range(2):
        hashes(cache, root)
    assert b"one" == (root / "a").read_bytes()
    assert {"tree", "cache"} == set(os.listdir(tmp_path))


def test_the_folder_of_a_cache_is_made(root: Path, tmp_path: Path) -> None:
    hashes(StatCache(str(tmp_path / "new/deep/cache"), str(root)), root)
    assert ["cache"] == os.listdir(tmp_path / "new/deep")
    assert 0o700 == (tmp_path / "new/deep").stat().st_mode & 0o777


@pytest.mark.usefixtures("later")
def test_a_cache_is_written_only_where_it_would_say_something_new(cache: StatCache, root: Path, tmp_path: Path) -> None:
    hashes(cache, root)
    first = os.stat(tmp_path / "cache").st_ino
    hashes(cache, root)
    assert first == os.stat(tmp_path / "cache").st_ino
    hashes(cache, root, ["a"])
    assert ["a"] == cache._load().paths
    (root / "d").write_bytes(b"d")
    hashes(cache, root, ["a", "d"])
    assert ["a", "d"] == cache._load().paths
    assert [] == hashes(cache, root, [])
    assert [] == hashes(cache, root, [])


@pytest.mark.req("T41")
@pytest.mark.usefixtures("later")
def test_odd_names_are_cached_too(cache: StatCache, root: Path, read: list[str]) -> None:
    names = [os.fsdecode(name) for name in (b"\n", b"\xc3\xa9", b"\xff")]
    for name in names:
        (root / name).write_bytes(os.fsencode(name))
    hashes(cache, root, names)
    read.clear()
    hashes(cache, root, names)
    assert [] == read


@pytest.mark.req("T63")
@pytest.mark.usefixtures("later")
def test_two_writers_leave_one_whole_cache(cache: StatCache, root: Path, tmp_path: Path) -> None:
    # The second starts while the first hashes, and ends before it.
    other = StatCache(str(tmp_path / "cache"), str(root))

    def meanwhile(_: int) -> None:
        hashes(other, root)

    cache.hash_files(str(root), ["a", "link"], None, meanwhile)
    assert ["a"] == cache._load().paths
    hashes(cache, root)
    hashes(other, root)
    assert {"tree", "cache"} == set(os.listdir(tmp_path))
