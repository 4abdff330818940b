"""
Content hashes of many files: each opened once, no link followed, in forked workers where there are many.

A worker reads a share of the sorted paths and sends its rows back in chunks. Threads would share one interpreter lock and
lose; see `docs/adr/0003-libraries.md` for what was measured.
"""

from __future__ import annotations

import errno
import marshal
import os
import selectors
import signal
import stat
from typing import TYPE_CHECKING, Final

from snob.errors import FileError, Problem
from snob.ground.digests import REGULAR, SYMLINK, content_hash, hasher, written
from snob.ground.files import ABSENT_ERRORS, CHUNK, READ_FLAGS, Folders, same_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

FORK_FROM: Final = 2000
"""The number of files from which workers pay for their start."""
WORKERS: Final = 8
"""Right for a cold disk, where only requests in flight help, and twelve per cent from best for a warm one."""
_SHARE: Final = 1024

ABSENT: Final = ""
"""What stands for the content hash of a path at which there is no file: nothing, or a folder."""


Key = tuple[int, int, int, int, int, int]
"""
What of a file's state tells that its bytes were not touched (T63): size in bytes, modification and change times in
nanoseconds, inode, device and mode. A plain tuple, like the row below, because there is one per file.
"""
Hashed = tuple[str, Key | None]
"""The content hash of one file, or `ABSENT`, and its key, which only a regular file has."""


def key_of(state: os.stat_result) -> Key:
    """The key of a file's state."""
    return state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino, state.st_dev, state.st_mode


def hash_files(
    root: str, paths: Sequence[str], jobs: int | None = None, advance: Callable[[int], None] = lambda _: None
) -> list[Hashed]:
    """
    Hash each path below `root`; the result has the order of `paths`, which should be sorted.

    `jobs` is the number of workers, by default as many as pay; `advance` is told how many files were done. Raises
    `FileError` with every path that is special, unreadable, or moved twice while it was read (T37, T61).
    """
    workers = jobs or (WORKERS if len(paths) >= FORK_FROM else 1)
    if workers == 1 or not hasattr(os, "fork"):
        rows = []
        with Folders(root) as folders:
            for start in range(0, len(paths), _SHARE):
                share = paths[start : start + _SHARE]
                rows.extend(_hash_share(folders, share))
                advance(len(share))
    else:
        with Folders(root):  # a root that cannot be opened is refused here, where it is no worker's death
            rows = _hash_forked(root, paths, workers, advance)
    problems = [Problem(*fault) for _, _, fault in rows if fault is not None]
    if problems:
        raise FileError(*problems)
    return [(content, key) for content, key, _ in rows]


_Row = tuple[str, Key | None, "tuple[str, str, str] | None"]
"""Content hash and key; and of a file that cannot be hashed, the code, message and path of its problem."""
_NOTHING: Final[_Row] = (ABSENT, None, None)


def _hash_share(folders: Folders, paths: Sequence[str]) -> list[_Row]:
    """Hash some paths; plain values only, because a worker sends them through a pipe."""
    rows = []
    for path in paths:
        directory, _, name = path.rpartition("/")
        try:
            rows.append(_hash_one(folders.find(directory, name), name, path))
        except OSError as error:
            if error.errno in ABSENT_ERRORS:
                rows.append(_NOTHING)
            else:
                rows.append((ABSENT, None, ("unreadable", os.strerror(error.errno or 0), path)))
    return rows


def _hash_one(folder: int, name: str, path: str) -> _Row:
    """The row of the file `name` in an open folder, tried a second time where it moved meanwhile."""
    for _ in range(2):
        try:
            descriptor = os.open(name, READ_FLAGS, dir_fd=folder)
        except OSError as error:
            row = _no_regular_file(folder, name, path, error)
            if row is None:
                continue
            return row
        try:
            before = os.fstat(descriptor)
            if not stat.S_ISREG(before.st_mode):
                return _NOTHING if stat.S_ISDIR(before.st_mode) else _special(path)
            raw = _digest_open(descriptor, before.st_size)
            after = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        if raw is not None and same_state(before, after):
            return written(raw, REGULAR), key_of(before), None
    return ABSENT, None, ("moving", "changed while it was read, twice", path)


def _digest_open(descriptor: int, size: int) -> bytes | None:
    """The digest of an open file of `size` bytes; None where it has more or fewer by now."""
    data = os.read(descriptor, min(size + 1, CHUNK))
    state = hasher(data)
    left = size + 1 - len(data)
    while left > 1 and data:
        data = os.read(descriptor, min(left, CHUNK))
        state.update(data)
        left -= len(data)
    return state.digest() if left == 1 else None


def _no_regular_file(folder: int, name: str, path: str, error: OSError) -> _Row | None:
    """What stands at a name that cannot be opened: a link, nothing, or what may not be read; None where it just changed."""
    # EDGE CASE: a socket cannot be opened at all; Linux says ENXIO, other systems EOPNOTSUPP.
    if error.errno not in {errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EOPNOTSUPP}:
        raise error
    mode = os.lstat(name, dir_fd=folder).st_mode
    if stat.S_ISLNK(mode):
        return content_hash(os.fsencode(os.readlink(name, dir_fd=folder)), SYMLINK), None, None
    return None if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else _special(path)


def _special(path: str) -> _Row:
    return ABSENT, None, ("special-file", "is a FIFO, a socket or a device", path)


def _hash_forked(root: str, paths: Sequence[str], workers: int, advance: Callable[[int], None]) -> list[_Row]:
    shares = [paths[start : start + _SHARE] for start in range(0, len(paths), _SHARE)]
    children: dict[int, int] = {}
    ended = False
    try:
        for worker in range(min(workers, len(shares))):
            # Neighbours in the list lie in one folder, so a worker takes a run of shares, not every n-th.
            first, last = (len(shares) * k // min(workers, len(shares)) for k in (worker, worker + 1))
            _start_worker(root, shares, range(first, last), children)
        found = _collect(children.values(), advance)
        ended = True
    finally:
        # Whatever ended the collection, no worker outlives it, and none is left to be reaped.
        for child, reader in children.items():
            if not ended:
                os.kill(child, signal.SIGKILL)
            os.close(reader)
        codes = [os.waitpid(child, 0)[1] for child in children]
    if any(codes) or len(found) != len(shares):
        reason = f"a hashing worker died: {codes}"
        raise RuntimeError(reason)
    return [row for number in range(len(shares)) for row in found[number]]


def _start_worker(root: str, shares: Sequence[Sequence[str]], numbers: range, children: dict[int, int]) -> None:
    """Fork one worker, and add it to `children` with the end of its pipe from which its rows are read."""
    reader, writer = os.pipe()
    try:
        child = os.fork()
    except OSError as error:
        os.close(reader)
        os.close(writer)
        reason = f"no worker can be started: {os.strerror(error.errno or 0)}"
        raise FileError(Problem("unreadable", reason, hint="hash in one process: --jobs 1")) from error
    if child == 0:
        _work(root, shares, numbers, writer, [reader, *children.values()])
    os.close(writer)
    children[child] = reader


def _collect(readers: Iterable[int], advance: Callable[[int], None]) -> dict[int, list[_Row]]:
    """The rows of every share that the workers sent, by its number."""
    found: dict[int, list[_Row]] = {}
    with selectors.DefaultSelector() as selector:
        for reader in readers:
            selector.register(reader, selectors.EVENT_READ, bytearray())
        while selector.get_map():
            for ready, _ in selector.select():
                part = os.read(ready.fd, CHUNK)
                if not part:
                    selector.unregister(ready.fd)
                ready.data.extend(part)
                for number, rows in _messages(ready.data):
                    found[number] = rows
                    advance(len(rows))
    return found


def _work(root: str, shares: Sequence[Sequence[str]], numbers: range, writer: int, readers: Iterable[int]) -> None:
    """
    The life of a worker: hash, send, end at once, without running anything that its parent registered.

    The `readers` are its parent's. With none of them held here, a parent that was killed leaves nobody to write to, and the
    worker ends with its next share.
    """
    status = 1
    try:
        for reader in readers:
            os.close(reader)
        with Folders(root) as folders:
            for number in numbers:
                body = marshal.dumps((number, _hash_share(folders, shares[number])))
                view = memoryview(len(body).to_bytes(8, "little") + body)
                while view:
                    view = view[os.write(writer, view) :]
        status = 0
    finally:
        os._exit(status)


def _messages(buffer: bytearray) -> Iterator[tuple[int, list[_Row]]]:
    """The complete messages at the head of `buffer`, which they leave."""
    while len(buffer) >= 8:
        end = 8 + int.from_bytes(buffer[:8], "little")
        if len(buffer) < end:
            return
        yield marshal.loads(bytes(buffer[8:end]))  # noqa: S302 - our own worker wrote it into our own pipe
        del buffer[:end]
