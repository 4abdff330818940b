"""
Content hashes of files that were not touched since they were last hashed.

A cache can only save work: it never decides. A row is believed only where size, both times, inode, device and mode are
as they were (T63), and where both times were older than the cache itself by two seconds, as the same file system's clock
tells, so that an edit within one tick of the clock is not missed. A file that is damaged, of another version or of another
root is as none. It lies in the git directory, or outside git in the user's cache directory, never in the work tree.
"""

from __future__ import annotations

import contextlib
import os
import struct
from typing import TYPE_CHECKING, Final

from snob.errors import FileError
from snob.ground.digests import hasher, written
from snob.ground.files import Folders, replace
from snob.ground.hashing import Hashed, Key, hash_files, key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_MAGIC: Final = b"snob stat cache 1\n"
_HEAD: Final = struct.Struct("<QQQ32s")
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
        known, stamp = self._load()
        found: list[Hashed | None] = [None] * len(paths)
        unsure = []
        with Folders(root) as folders:
            for index, path in enumerate(paths):
                row = known.get(path)
                directory, _, name = path.rpartition("/")
                if row is not None and _settled(row.key, stamp) and row.key == _look(folders, directory, name):
                    found[index] = row
                    continue
                unsure.append(index)
        advance(len(paths) - len(unsure))
        fresh = hash_files(root, [paths[index] for index in unsure], jobs, advance)
        for index, row in zip(unsure, fresh, strict=True):
            found[index] = row
        rows = [row for row in found if row is not None]
        if unsure or len(paths) != len(known):
            self._store(paths, rows)
        return rows

    def _load(self) -> tuple[dict[str, Hashed], int]:
        """The rows by path, and when they were written; none where the file cannot be believed."""
        try:
            with open(self._file, "rb") as file:
                state = os.fstat(file.fileno())
                data = file.read()
        except OSError:
            return {}, 0
        if not data.startswith(_MAGIC) or len(data) < len(_MAGIC) + _HEAD.size:
            return {}, 0
        rows, names, root, check = _HEAD.unpack_from(data, len(_MAGIC))
        body = data[len(_MAGIC) + _HEAD.size :]
        if len(body) != root + names + rows * _ROW.size or hasher(body).digest() != check or body[:root] != self._root:
            return {}, 0
        paths = os.fsdecode(body[root : root + names]).split("\0") if rows else []
        known = {
            path: Hashed(written(digest), Key(*key))
            for path, (*key, digest) in zip(paths, _ROW.iter_unpack(body[root + names :]), strict=True)
        }
        return known, state.st_mtime_ns

    def _store(self, paths: Sequence[str], rows: Sequence[Hashed]) -> None:
        """Write the rows of regular files; a cache that cannot be written is a cache that is not there."""
        kept = [(path, row) for path, row in zip(paths, rows, strict=True) if row.key is not None]
        names = os.fsencode("\0".join(path for path, _ in kept))
        packed = b"".join(
            _ROW.pack(*row.key, bytes.fromhex(row.content.partition(":")[2])) for _, row in kept if row.key is not None
        )
        body = self._root + names + packed
        head = _HEAD.pack(len(kept), len(names), len(self._root), hasher(body).digest())
        with contextlib.suppress(FileError):
            replace(self._file, _MAGIC + head + body)


def _look(folders: Folders, directory: str, name: str) -> Key | None:
    try:
        return key_of(os.lstat(name, dir_fd=folders.enter(directory)))
    except (OSError, ValueError):
        # Hashing looks again, and tells an absent file from one that may not be looked at.
        return None


def _settled(key: Key | None, stamp: int) -> bool:
    return key is not None and max(key.mtime, key.ctime) + _RACY < stamp
