"""
A tree of files on disk: looked up, listed and read without following a link out of it; the only writer.

Every path is walked from the root, folder by folder, each opened relative to the one above with `O_NOFOLLOW`, so a
linked folder ends the walk (T36). Absent means ENOENT or ENOTDIR on the way, or a link in place of a folder; any other
refusal of the operating system is a `FileError`, never "nothing here" (T33).
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from enum import Enum
from typing import TYPE_CHECKING, Final, Self

from snob.errors import FileError, Problem

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

_DIRECTORY_FLAGS: Final = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
READ_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | getattr(os, "O_NOCTTY", 0)
"""A FIFO does not make the opener wait, a link is refused, a terminal is not taken over (T35, T37)."""
ABSENT_ERRORS: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
"""What opening a folder with `O_NOFOLLOW` says of a missing one, of a file, and of a link in its place."""
CHUNK: Final = 1024 * 1024


class Kind(Enum):
    """What stands at a path, the last link not followed."""

    REGULAR = "regular file"
    SYMLINK = "symbolic link"
    DIRECTORY = "directory"
    SPECIAL = "special file"


def kind_of_mode(mode: int) -> Kind:
    """The kind that `st_mode` tells."""
    if stat.S_ISREG(mode):
        return Kind.REGULAR
    if stat.S_ISLNK(mode):
        return Kind.SYMLINK
    if stat.S_ISDIR(mode):
        return Kind.DIRECTORY
    return Kind.SPECIAL


def refused(path: str, error: OSError | ValueError, code: str = "unreadable") -> FileError:
    """A `FileError` that gives the operating system's own words, or Python's where no system could be asked."""
    said = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
    return FileError(Problem(code, said, path))


class Folders:
    """
    Open folders below a root, as a stack that follows a walk through sorted paths.

    Each folder is opened once when paths come sorted; only the folders on the way to the last one stay open.
    """

    def __init__(self, root: str) -> None:
        """Open the root folder, which may itself be reached through links; raises `FileError`."""
        try:
            self._fds = [os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)]
        except OSError as error:
            raise refused(root, error) from error
        try:
            self._folding = _folds_names(self._fds[0])
        except OSError as error:
            os.close(self._fds.pop())
            raise refused(root, error) from error
        self._names: list[str] = []
        self._here: str | None = None
        self._listing: frozenset[str] = frozenset()

    def __enter__(self) -> Self:
        """Keep the folders open."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close every folder."""
        self._close_below(0)
        os.close(self._fds.pop())

    def enter(self, directory: str) -> int:
        """
        The descriptor of `directory`, valid until the next call; the empty text is the root.

        Raises `OSError` as the operating system does; the errors in `ABSENT_ERRORS` mean that there is none.
        """
        if directory == self._here:
            return self._fds[-1]
        self._here = None
        names = directory.split("/") if directory else []
        common = 0
        for ours, theirs in zip(self._names, names, strict=False):
            if ours != theirs:
                break
            common += 1
        self._close_below(common)
        for name in names[common:]:
            # EDGE CASE: `.` and `..` lead somewhere, but are nobody's exact name; and no name has a NUL or half a surrogate pair.
            if name in {".", ".."} or not _can_be_a_name(name):
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
            if self._folding and name not in _list(self._fds[-1]):
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
            self._fds.append(os.open(name, _DIRECTORY_FLAGS, dir_fd=self._fds[-1]))
            self._names.append(name)
        if self._folding:
            self._listing = _list(self._fds[-1])
        self._here = directory
        return self._fds[-1]

    def find(self, directory: str, name: str) -> int:
        """
        The descriptor of `directory`, in which `name` is to be looked up.

        Raises `FileNotFoundError` where the file system would find another spelling of `name` only: a name is its exact
        bytes (T39, C11).
        """
        descriptor = self.enter(directory)
        if (self._folding and name not in self._listing) or not _can_be_a_name(name):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
        return descriptor

    def _close_below(self, depth: int) -> None:
        while len(self._names) > depth:
            os.close(self._fds.pop())
            self._names.pop()


def _can_be_a_name(name: str) -> bool:
    """Whether the operating system can be asked about `name` at all; Python raises `ValueError` where it cannot."""
    if name.isascii():
        return "\0" not in name
    try:
        return b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        return False


def _list(folder: int) -> frozenset[str]:
    """The exact names in an open folder."""
    readable = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    try:
        return frozenset(os.listdir(readable))
    finally:
        os.close(readable)


def _folds_names(root: int) -> bool:
    """Whether the file system finds a file by another spelling of its name, as far as one look can tell."""
    if sys.platform == "darwin":
        # EDGE CASE: a volume that tells letter cases apart may still fold the two ways to write an accent.
        return True
    names = _list(root)
    for name in sorted(names):
        other = name.swapcase()
        if other not in names:
            try:
                os.lstat(other, dir_fd=root)
            except OSError:
                return False
            return True
    return False


def same_state(before: os.stat_result, after: os.stat_result) -> bool:
    """Whether nothing touched an open file between two looks at it (T61)."""
    return (
        before.st_size == after.st_size
        and before.st_mtime_ns == after.st_mtime_ns
        and before.st_ctime_ns == after.st_ctime_ns
        and before.st_ino == after.st_ino
    )


class Tree:
    """The files below one root; a path is relative to it, normalised, and never followed through a link."""

    def __init__(self, root: str) -> None:
        """Read below `root`, an absolute path; raises `FileError` where it is no folder that can be opened."""
        self.root = root
        self._folders = Folders(root)

    def close(self) -> None:
        """Close the folders that are open."""
        self._folders.__exit__()

    def kind(self, path: str) -> Kind | None:
        """
        What stands at `path`; None where nothing does.

        Raises `FileError` where that cannot be told (T33).
        """
        directory, _, name = path.rpartition("/")
        try:
            mode = os.lstat(name, dir_fd=self._folders.find(directory, name)).st_mode
        except OSError as error:
            if error.errno in ABSENT_ERRORS:
                return None
            raise refused(path, error) from error
        return kind_of_mode(mode)

    def read(self, path: str, cap: int) -> bytes:
        """
        The bytes of a regular file of at most `cap` bytes.

        Raises `FileError` where it is absent, no regular file, larger, unreadable, or moved twice while it was read.
        """
        directory, _, name = path.rpartition("/")
        try:
            folder = self._folders.find(directory, name)
            for _ in range(2):
                descriptor = os.open(name, READ_FLAGS, dir_fd=folder)
                try:
                    before = os.fstat(descriptor)
                    if not stat.S_ISREG(before.st_mode):
                        raise _not_regular(path, kind_of_mode(before.st_mode))
                    if before.st_size > cap:
                        raise FileError(Problem("too-large", f"larger than {cap:,} bytes", path))
                    data = _read_whole(descriptor, before.st_size)
                    if len(data) == before.st_size and same_state(before, os.fstat(descriptor)):
                        return data
                finally:
                    os.close(descriptor)
        except OSError as error:
            if error.errno in {errno.ELOOP, errno.EMLINK}:
                raise _not_regular(path, Kind.SYMLINK) from error
            raise refused(path, error) from error
        raise FileError(Problem("moving", "changed while it was read, twice", path, hint="run again when it is still"))

    def read_link(self, path: str) -> bytes:
        """The target of a symbolic link, as its bytes; raises `FileError`."""
        directory, _, name = path.rpartition("/")
        try:
            return os.fsencode(os.readlink(name, dir_fd=self._folders.find(directory, name)))
        except OSError as error:
            raise refused(path, error) from error

    def names(self, directory: str) -> list[str]:
        """The exact names in `directory`, sorted; empty where there is none; raises `FileError`."""
        return [name for name, _ in self.entries(directory)]

    def entries(self, directory: str) -> list[tuple[str, Kind]]:
        """Name and kind of what lies directly in `directory`, sorted; empty where there is none; raises `FileError`."""
        try:
            readable = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self._folders.enter(directory))
        except OSError as error:
            if error.errno in ABSENT_ERRORS:
                return []
            raise refused(directory or ".", error) from error
        try:
            with os.scandir(readable) as found:
                return sorted(((entry.name, _kind_of_entry(entry)) for entry in found), key=lambda item: item[0])
        except OSError as error:
            raise refused(directory or ".", error) from error
        finally:
            os.close(readable)

    def walk(self, directory: str = "", *, skip: frozenset[str] = frozenset()) -> Iterator[tuple[str, Kind]]:
        """
        Every file, link and special file below `directory`, with its path; links are given, not entered.

        Folders named in `skip` (plain names, at any depth) are left out. Raises `FileError`.
        """
        waiting = [directory]
        while waiting:
            here = waiting.pop()
            for name, kind in self.entries(here):
                path = f"{here}/{name}" if here else name
                if kind is not Kind.DIRECTORY:
                    yield path, kind
                elif name not in skip:
                    waiting.append(path)


def _kind_of_entry(entry: os.DirEntry[str]) -> Kind:
    if entry.is_symlink():
        return Kind.SYMLINK
    if entry.is_dir(follow_symlinks=False):
        return Kind.DIRECTORY
    if entry.is_file(follow_symlinks=False):
        return Kind.REGULAR
    return Kind.SPECIAL


def _read_whole(descriptor: int, size: int) -> bytes:
    """At most `size` bytes and one more, so that a file which grows is seen and not followed (T61)."""
    parts = []
    left = size + 1
    while left and (part := os.read(descriptor, min(left, CHUNK))):
        parts.append(part)
        left -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _not_regular(path: str, kind: Kind) -> FileError:
    return FileError(Problem("not-regular", f"is a {kind.value}, not a regular file", path))


def absent_among(root: str, paths: Iterable[str], folders: Container[str]) -> list[str]:
    """
    Those of the sorted `paths` at which there is no file; for those in `folders`, a folder is what is expected.

    One that cannot be looked at counts as there: whoever needs it will find out why it cannot be read.
    """
    absent = []
    with Folders(root) as opened:
        for path in paths:
            directory, _, name = path.rpartition("/")
            try:
                mode = os.lstat(name, dir_fd=opened.find(directory, name)).st_mode
            except OSError as error:
                if error.errno in ABSENT_ERRORS:
                    absent.append(path)
            else:
                if stat.S_ISDIR(mode) and path not in folders:
                    absent.append(path)
    return absent


def write_new(root: str, path: str, data: bytes) -> None:
    """
    Write a file that must not exist yet, whole or not at all; folders above it are made where they are missing.

    Raises `FileError` where it exists, a link stands on the way, or the operating system refuses.
    """
    directory, _, name = path.rpartition("/")
    try:
        with Folders(root) as folders:
            folder = _make_folders(folders, directory)
            temporary = _write_temporary(data, folder)
            try:
                _give_name(temporary, name, folder, path)
            finally:
                os.unlink(temporary, dir_fd=folder)
            _sync(folder)
    except (OSError, ValueError) as error:
        raise refused(path, error, "unwritable") from error


def _give_name(temporary: str, name: str, folder: int, path: str) -> None:
    try:
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except FileExistsError as error:
        raise FileError(Problem("exists", "is there already, and is not overwritten", path)) from error


def _make_folders(folders: Folders, directory: str) -> int:
    """The descriptor of `directory`, which is made, and what is above it, where it is missing."""
    here = folders.enter("")
    done = ""
    for name in directory.split("/") if directory else ():
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, dir_fd=here)
            _sync(here)
        done = f"{done}/{name}" if done else name
        here = folders.enter(done)
    return here


def write_through(target: str, data: bytes) -> None:
    """
    Put a report where a person wants it: a regular file is replaced whole, its mode kept, and a link to one followed.

    A device or a FIFO is written to and stays what it is. Raises `FileError` where the operating system refuses.
    """
    try:
        state = os.stat(target)
    except FileNotFoundError:
        replace(os.path.realpath(target), data)
        return
    except (OSError, ValueError) as error:
        raise refused(target, error, "unwritable") from error
    if stat.S_ISREG(state.st_mode):
        replace(os.path.realpath(target), data, stat.S_IMODE(state.st_mode))
        return
    try:
        # EDGE CASE: a FIFO that nobody reads is refused at once, not waited for.
        descriptor = os.open(target, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            os.set_blocking(descriptor, True)
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
        finally:
            os.close(descriptor)
    except OSError as error:
        raise refused(target, error, "unwritable") from error


def replace(target: str, data: bytes, mode: int | None = None) -> None:
    """
    Put `data` in place of the file `target`, or make it, so that any reader sees the old bytes or the new ones.

    The new file has `mode`, the permission bits, where they are given.

    Raises `FileError` where the operating system refuses, and where a link, a folder or a special file stands there, which
    would be lost.
    """
    folder = os.path.dirname(target) or "."
    try:
        if os.path.lexists(target) and (kind := kind_of_mode(os.lstat(target).st_mode)) is not Kind.REGULAR:
            raise FileError(Problem("unwritable", f"is a {kind.value}, and only a regular file is replaced", target))
        temporary = os.path.join(folder, _write_temporary(data, folder))
        try:
            if mode is not None:
                os.chmod(temporary, mode)
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise
    except (OSError, ValueError) as error:
        raise refused(target, error, "unwritable") from error


def stamp_beside(target: str) -> int | None:
    """
    Now, in nanoseconds, as the file system that holds `target` tells it; the folder is made where it is missing.

    None where nothing can be written there.
    """
    folder = os.path.dirname(target) or "."
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        temporary = os.path.join(folder, _write_temporary(b"", folder, through=False))
        try:
            return os.lstat(temporary).st_mtime_ns
        finally:
            os.unlink(temporary)
    except OSError:
        return None


def _write_temporary(data: bytes, folder: str | int, *, through: bool = True) -> str:
    """
    The name of a new file in `folder`, a path or a descriptor, that holds `data`, on the disk itself where `through`.

    Its name is by chance, so that what a run left behind that was killed is in nobody's way, and short, so that it can be
    had wherever the file's own name can.
    """
    name = f".snob-{os.urandom(8).hex()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    inside = folder if isinstance(folder, int) else None
    path = name if isinstance(folder, int) else os.path.join(folder, name)
    descriptor = os.open(path, flags, 0o666, dir_fd=inside)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        if through:
            os.fsync(descriptor)
    except BaseException:
        os.unlink(path, dir_fd=inside)
        raise
    finally:
        os.close(descriptor)
    return name


def _sync(folder: int) -> None:
    """Write the names in an open folder to the disk itself, where the file system can."""
    readable = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    try:
        # EDGE CASE: some network file systems know no fsync of a folder, and say EINVAL.
        with contextlib.suppress(OSError):
            os.fsync(readable)
    finally:
        os.close(readable)
