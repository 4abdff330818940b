"""
A readable tree at one moment: the work tree, a commit, or one held in memory.

Whatever is judged is read through one of these, so that the same code reads a checkout and the history that it is compared
with. Links and submodules are settled here: each is one path, never followed, and its kind is part of its content hash.
"""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Protocol

from snob.errors import FileError, Problem
from snob.ground import git as git_questions
from snob.ground.digests import GITLINK, REGULAR, SYMLINK, content_hash
from snob.ground.files import CHUNK, Kind, Tree
from snob.ground.git import GITLINK_MODE, SYMLINK_MODE, Listed, Listing
from snob.ground.hashing import ABSENT, hash_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from snob.ground.git import Git, Running, TreeEntry
    from snob.ground.stat_cache import StatCache


class Snapshot(Protocol):
    """A tree of files that can be listed, looked up, read and hashed."""

    def listing(self) -> Listing:
        """Every path that a version control system would show, sorted; raises `SnobError`."""

    def kind(self, path: str) -> Kind | None:
        """What stands at a path, no link followed; None where nothing does; raises `FileError`."""

    def read(self, path: str, cap: int) -> bytes:
        """The bytes of a regular file of at most `cap` bytes; raises `FileError` where there is none."""

    def below(self, directory: str) -> list[tuple[str, Kind]]:
        """Every path below a folder, listed or not, sorted, with its kind; raises `FileError`."""

    def check_folder(self, directory: str) -> None:
        """Raise `FileError` where something else than a folder, a link to one included, stands at or above a path."""

    def content_hashes(self, paths: Sequence[str], advance: Callable[[int], None] = ...) -> list[str]:
        """The content hash of each sorted path, `ABSENT` where there is no file; raises `SnobError`."""


class WorkTree:
    """The files on disk below a project's root."""

    def __init__(self, root: str, git: Git | None, *, jobs: int | None = None, cache: StatCache | None = None) -> None:
        """
        Read below `root`; list with `git`, whose process starts here and is read when it is asked for.

        Without `git` every file below the root is listed. `jobs` is the number of hashing workers.
        """
        self.root = root
        self._tree = Tree(root)
        self._running: Running | None = git_questions.start_listing(git) if git is not None else None
        self._listing: Listing | None = None
        self._jobs = jobs
        self._cache = cache

    def listing(self) -> Listing:
        """Tracked files and those that git does not ignore; outside git, every file and link."""
        if self._listing is None:
            if self._running is not None:
                self._listing = git_questions.read_listing(self._running)
            else:
                walked = sorted(path for path, _ in self._tree.walk(skip=frozenset({".git"})))
                self._listing = Listing(walked, {path: _untracked(path) for path in walked})
        return self._listing

    def abandon(self) -> None:
        """End what was started and not read, because the run ends early."""
        if self._listing is None and self._running is not None:
            self._running.abandon()

    def kind(self, path: str) -> Kind | None:
        """What stands on disk at `path`."""
        return self._tree.kind(path)

    def read(self, path: str, cap: int) -> bytes:
        """The bytes on disk."""
        return self._tree.read(path, cap)

    def below(self, directory: str) -> list[tuple[str, Kind]]:
        """What lies on disk below `directory`, ignored by git or not."""
        self.check_folder(directory)
        return sorted(self._tree.walk(directory))

    def content_hashes(self, paths: Sequence[str], advance: Callable[[int], None] = lambda _: None) -> list[str]:
        """The hashes of what is on disk; a submodule's is that of its commit id in the index."""
        if self._cache is not None:
            rows = self._cache.hash_files(self.root, paths, self._jobs, advance)
        else:
            rows = hash_files(self.root, paths, self._jobs, advance)
        hashes = [content for content, _ in rows]
        gitlinks = {path: row.oid for path, row in self.listing().odd.items() if row.mode == GITLINK_MODE}
        if gitlinks:
            for index, path in enumerate(paths):
                if path in gitlinks and hashes[index] == ABSENT and self.kind(path) is Kind.DIRECTORY:
                    hashes[index] = content_hash(gitlinks[path].encode(), GITLINK)
        return hashes

    def check_folder(self, directory: str) -> None:
        """Refuse a link, or anything else but a folder, at `directory` or on the way to it (T26)."""
        parts = directory.split("/")
        for depth in range(1, len(parts) + 1):
            here = "/".join(parts[:depth])
            _refuse_no_folder(here, self._tree.kind(here))


class CommitTree:
    """The files of one commit below the project's folder, as they are stored."""

    def __init__(self, git: Git, commit: str, prefix: str) -> None:
        """Read the tree of `commit`, a full object id, below `prefix`; raises `GitError`."""
        self._git = git
        self._entries: dict[str, TreeEntry] = {
            entry.path: entry for entry in git_questions.list_tree(git, commit, prefix)
        }
        self._folders = _folders_above(self._entries)
        self._blobs: dict[str, bytes] = {}

    def listing(self) -> Listing:
        """Every path of the commit."""
        odd = {
            path: Listed(path, tracked=True, mode=entry.mode, oid=entry.oid, skip_worktree=False)
            for path, entry in self._entries.items()
            if entry.mode in {GITLINK_MODE, SYMLINK_MODE}
        }
        return Listing(list(self._entries), odd)

    def kind(self, path: str) -> Kind | None:
        """What the commit has at `path`; a submodule is a folder here, as it is on disk."""
        entry = self._entries.get(path)
        if entry is not None:
            return _kind_of_entry(entry)
        return Kind.DIRECTORY if path in self._folders else None

    def read(self, path: str, cap: int) -> bytes:
        """The blob at `path`."""
        entry = self._entries.get(path)
        kind = self.kind(path)
        if entry is None or kind is not Kind.REGULAR:
            raise _unreadable(path, kind)
        data = self._blobs.get(entry.oid)
        size = git_questions.blob_sizes(self._git, (entry.oid,))[entry.oid] if data is None else len(data)
        if size > cap:
            raise FileError(Problem("too-large", f"larger than {cap:,} bytes", path))
        return self._read_oids((entry.oid,))[entry.oid]

    def prefetch(self, paths: Iterable[str]) -> None:
        """Read the blobs of `paths` in two processes, ahead of a `read` of each; large ones are left to it."""
        oids = {
            entry.oid
            for path in paths
            if (entry := self._entries.get(path)) is not None and _kind_of_entry(entry) is Kind.REGULAR
        }
        sizes = git_questions.blob_sizes(self._git, sorted(oids - self._blobs.keys()))
        self._read_oids(oid for oid, size in sizes.items() if size <= CHUNK)

    def below(self, directory: str) -> list[tuple[str, Kind]]:
        """The commit's paths below `directory`."""
        self.check_folder(directory)
        lead = directory + "/"
        found = sorted((path, _kind_of_entry(entry)) for path, entry in self._entries.items() if path.startswith(lead))
        self.prefetch(path for path, _ in found)
        return found

    def check_folder(self, directory: str) -> None:
        """Refuse a blob, a link or a submodule at `directory` or on the way to it."""
        parts = directory.split("/")
        for depth in range(1, len(parts) + 1):
            entry = self._entries.get("/".join(parts[:depth]))
            if entry is not None:
                kind = None if entry.mode == GITLINK_MODE else _kind_of_entry(entry)
                _refuse_no_folder(entry.path, kind or Kind.SPECIAL)

    def content_hashes(self, paths: Sequence[str], advance: Callable[[int], None] = lambda _: None) -> list[str]:
        """The hashes of the blobs as stored, each object read once."""
        entries = [self._entries.get(path) for path in paths]
        blobs = self._read_oids(entry.oid for entry in entries if entry is not None and entry.mode != GITLINK_MODE)
        hashes: dict[tuple[int, str], str] = {}
        found = []
        for entry in entries:
            if entry is None:
                found.append(ABSENT)
                continue
            key = (entry.mode, entry.oid)
            if key not in hashes:
                if entry.mode == GITLINK_MODE:
                    hashes[key] = content_hash(entry.oid.encode(), GITLINK)
                else:
                    prefix = SYMLINK if entry.mode == SYMLINK_MODE else REGULAR
                    hashes[key] = content_hash(blobs[entry.oid], prefix)
            found.append(hashes[key])
        advance(len(paths))
        return found

    def _read_oids(self, oids: Iterable[str]) -> dict[str, bytes]:
        wanted = dict.fromkeys(oids)
        missing = [oid for oid in wanted if oid not in self._blobs]
        self._blobs.update(git_questions.read_blobs(self._git, missing))
        return self._blobs


def _refuse_no_folder(path: str, kind: Kind | None) -> None:
    if kind is not None and kind is not Kind.DIRECTORY:
        raise FileError(Problem("not-regular", f"is a {kind.value}; records are kept in a folder", path))


def _folders_above(paths: Iterable[str]) -> frozenset[str]:
    """Every folder on the way to one of `paths`."""
    folders = set()
    for path in paths:
        above = path.rpartition("/")[0]
        while above and above not in folders:
            folders.add(above)
            above = above.rpartition("/")[0]
    return frozenset(folders)


def _unreadable(path: str, kind: Kind | None) -> FileError:
    if kind is None:
        return FileError(Problem("unreadable", os.strerror(errno.ENOENT), path))
    return FileError(Problem("not-regular", f"is a {kind.value}, not a regular file", path))


def _untracked(path: str) -> Listed:
    return Listed(path, tracked=False, mode=0, oid="", skip_worktree=False)


def _kind_of_entry(entry: TreeEntry) -> Kind:
    if entry.mode == SYMLINK_MODE:
        return Kind.SYMLINK
    return Kind.DIRECTORY if entry.mode == GITLINK_MODE else Kind.REGULAR


class MemoryTree:
    """Files held in memory: text or bytes by path."""

    def __init__(self, files: Mapping[str, bytes | str]) -> None:
        """Hold `files`; every one is regular."""
        self._files = {path: data.encode() if isinstance(data, str) else data for path, data in sorted(files.items())}
        self._folders = _folders_above(self._files)

    def listing(self) -> Listing:
        """Every path, as if it were tracked."""
        return Listing(list(self._files), {})

    def kind(self, path: str) -> Kind | None:
        """A regular file, a folder above one, or nothing."""
        if path in self._files:
            return Kind.REGULAR
        return Kind.DIRECTORY if path in self._folders else None

    def read(self, path: str, cap: int) -> bytes:
        """The bytes that are held."""
        data = self._files.get(path)
        if data is None:
            raise _unreadable(path, self.kind(path))
        if len(data) > cap:
            raise FileError(Problem("too-large", f"larger than {cap:,} bytes", path))
        return data

    def below(self, directory: str) -> list[tuple[str, Kind]]:
        """The paths below `directory`."""
        self.check_folder(directory)
        return [(path, Kind.REGULAR) for path in self._files if path.startswith(directory + "/")]

    def check_folder(self, directory: str) -> None:
        """Refuse a file at `directory` or on the way to it."""
        parts = directory.split("/")
        for depth in range(1, len(parts) + 1):
            here = "/".join(parts[:depth])
            _refuse_no_folder(here, self.kind(here))

    def content_hashes(self, paths: Sequence[str], advance: Callable[[int], None] = lambda _: None) -> list[str]:
        """The hashes of the bytes that are held."""
        advance(len(paths))
        return [content_hash(self._files[path]) if path in self._files else ABSENT for path in paths]
