"""
Content hashes of files that were not touched since they were last hashed.

A cache can only save work: it never decides. A row is believed only where size, both times, inode, device and mode are
as they were (T63), and where both times were older, by two seconds, than the moment before the files were hashed, as the
cache's own file system told it, so that an edit within one tick of the clock is not missed, however long hashing took. A
file that is damaged, of another version or of another root is as none. It lies in the git directory, or outside git in the
user's cache directory, never in the work tree.
"""

from __future__ import annotations

import contextlib
import os
import stat
import struct
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from snob.errors import FileError
from snob.ground.digests import hasher, written
from snob.ground.files import READ_FLAGS, Folders, replace, stamp_beside
from snob.ground.hashing import hash_files, key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from snob.ground.hashing import Hashed

_MAGIC: Final = b"snob stat cache 2\n"
_HEAD: Final = struct.Struct("<QQQq32s")
_ROW: Final = struct.Struct("<QqqQQI32s")
_RACY: Final = 2_000_000_000
"""Nanoseconds by which a file must be older than the cache."""


class StatCache:
    """The rows of one cache file."""

    def __init__(self, file: str, root: str) -> None:
        """Use `file` for the tree below `root`; nothing is read yet."""
        self._file = file
        self._root = os.fsencode(root)

    def hash_files(
        self, root: str, paths: Sequence[str], jobs: int | None, advance: Callable[[int], None]
    ) -> list[Hashed]:
        """As `hashing.hash_files`, reading only files that moved since the cache was written; the cache is kept up."""
        cached = self._load()
        found = _untouched(root, paths, cached)
        unsure = [index for index, row in enumerate(found) if row is None]
        advance(len(paths) - len(unsure))
        stamp = stamp_beside(self._file) if unsure else cached.stamp
        fresh = hash_files(root, [paths[index] for index in unsure], jobs, advance)
        for index, row in zip(unsure, fresh, strict=True):
            found[index] = row
        rows = [row for row in found if row is not None]
        regular = [path for path, (_, key) in zip(paths, rows, strict=True) if key is not None]
        if stamp is not None and (any(key is not None for _, key in fresh) or regular != cached.paths):
            self._store(paths, rows, stamp)
        return rows

    def _load(self) -> _Cached:
        """What the file holds; nothing where it cannot be believed."""
        try:
            descriptor = os.open(self._file, READ_FLAGS)
            with open(descriptor, "rb") as file:
                data = file.read() if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
        except (OSError, ValueError):
            return _NOTHING
        start = len(_MAGIC) + _HEAD.size
        if not data.startswith(_MAGIC) or len(data) < start:
            return _NOTHING
        count, names, root, stamp, check = _HEAD.unpack_from(data, len(_MAGIC))
        body = data[start:]
        if len(body) != root + names + count * _ROW.size or _check(stamp, body) != check or body[:root] != self._root:
            return _NOTHING
        paths = os.fsdecode(body[root : root + names]).split("\0") if count else []
        if len(paths) != count:
            return _NOTHING
        return _Cached(paths, body[root + names :], stamp)

    def _store(self, paths: Sequence[str], rows: Sequence[Hashed], stamp: int) -> None:
        """Write the rows of regular files; a cache that cannot be written is a cache that is not there."""
        kept = [
            (path, _ROW.pack(*key, bytes.fromhex(content.partition(":")[2])))
            for path, (content, key) in zip(paths, rows, strict=True)
            if key is not None
        ]
        names = os.fsencode("\0".join([path for path, _ in kept]))
        body = self._root + names + b"".join([packed for _, packed in kept])
        head = _HEAD.pack(len(kept), len(names), len(self._root), stamp, _check(stamp, body))
        with contextlib.suppress(FileError):
            replace(self._file, _MAGIC + head + body)


def _check(stamp: int, body: bytes) -> bytes:
    """What tells that a cache is whole."""
    return hasher(stamp.to_bytes(8, "little", signed=True) + body).digest()


class _Cached(NamedTuple):
    """The paths of a cache, their packed rows in the same order, and a moment before they were hashed, in nanoseconds."""

    paths: list[str]
    rows: bytes
    stamp: int


_NOTHING: Final = _Cached([], b"", 0)


def _untouched(root: str, paths: Sequence[str], cached: _Cached) -> list[Hashed | None]:
    """For each path the cached row, where the file is what it was; else None."""
    if not cached.paths:
        return [None] * len(paths)
    rows: Iterable[tuple[Any, ...] | None]
    if cached.paths == list(paths):
        rows = _ROW.iter_unpack(cached.rows)
    else:
        by_path = dict(zip(cached.paths, _ROW.iter_unpack(cached.rows), strict=True))
        rows = [by_path.get(path) for path in paths]
    settled = cached.stamp - _RACY
    found: list[Hashed | None] = []
    with Folders(root) as folders:
        for path, row in zip(paths, rows, strict=True):
            directory, _, name = path.rpartition("/")
            try:
                key = key_of(os.lstat(name, dir_fd=folders.find(directory, name)))
            except OSError:
                # Hashing looks again, and tells an absent file from one that may not be looked at.
                found.append(None)
                continue
            if row is not None and row[:6] == key and key[1] < settled and key[2] < settled:
                found.append((written(row[6]), key))
            else:
                found.append(None)
    return found
