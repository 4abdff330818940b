"""Content hashes of many files: of what stands there, of nothing else, and the same from one process as from many."""

from __future__ import annotations

import errno
import os
import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from snob.errors import FileError
from snob.ground import hashing
from snob.ground.digests import SYMLINK, content_hash
from snob.ground.files import CHUNK
from snob.ground.hashing import ABSENT, hash_files, key_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree with every kind of thing in it."""
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/f").write_bytes(b"f\n")
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "folder").symlink_to("a")
    (tmp_path / "link").symlink_to("a/b/f")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "zero").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "fifo")
    return tmp_path


def contents(root: Path, paths: Sequence[str], jobs: int | None = None) -> list[str]:
    """The content hashes alone."""
    return [content for content, _ in hash_files(str(root), paths, jobs)]


def problems(root: Path, paths: Sequence[str], jobs: int | None = None) -> list[tuple[str, str | None]]:
    """The codes and paths of the problems that hashing ends with."""
    with pytest.raises(FileError) as caught:
        hash_files(str(root), paths, jobs)
    return [(problem.code, problem.path) for problem in caught.value.problems]


@pytest.mark.req("T33", "T35", "T36", "T37", "F21")
@pytest.mark.parametrize("jobs", [1, 2])
def test_the_hash_tells_the_kind_and_follows_no_link(root: Path, jobs: int) -> None:
    expected = {
        "": ABSENT,
        "../x": ABSENT,
        "a": ABSENT,
        "a/../a/b/f": ABSENT,
        "a/b/f": content_hash(b"f\n"),
        "a/b/f/g": ABSENT,
        "a\0": ABSENT,
        "empty": content_hash(b""),
        "folder": content_hash(b"a", SYMLINK),
        "folder/b/f": ABSENT,
        "link": content_hash(b"a/b/f", SYMLINK),
        "loop": content_hash(b"loop", SYMLINK),
        "loop/x": ABSENT,
        "nowhere": ABSENT,
        "nowhere/x": ABSENT,
        "zero": content_hash(b"/dev/zero", SYMLINK),
        "\ud800/x": ABSENT,
    }
    assert list(expected.values()) == contents(root, list(expected), jobs)


@pytest.mark.req("T33", "T37")
@pytest.mark.parametrize("jobs", [1, 2])
def test_all_that_cannot_be_hashed_is_named_at_once(root: Path, jobs: int) -> None:
    long = "x" * 300
    expected = [
        ("unreadable", f"a/{long}"),
        ("special-file", "fifo"),
        ("unreadable", long),
        ("unreadable", f"{long}/f"),
    ]
    assert expected == problems(root, [f"a/{long}", "empty", "fifo", long, f"{long}/f"], jobs)


@pytest.mark.req("T37")
def test_a_socket_and_a_device_are_special_files(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
        assert [("special-file", "socket")] == problems(root, ["socket"])
    assert [("special-file", "null")] == problems(root.__class__("/dev"), ["null"])


@pytest.mark.req("T33")
@pytest.mark.parametrize("code", [errno.EACCES, errno.EIO, errno.ENAMETOOLONG, errno.EMFILE])
def test_any_other_refusal_is_no_absence(root: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    real = os.open

    def refusing(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path in {"b", "empty"}:
            raise OSError(code, "refused")
        return real(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", refusing)
    assert [("unreadable", "a/b/f"), ("unreadable", "empty")] == problems(root, ["a/b/f", "empty", "link"])


def test_only_a_regular_file_has_a_key(root: Path) -> None:
    rows = hash_files(str(root), ["a", "a/b/f", "link", "nowhere"])
    assert [None, key_of(os.stat(root / "a/b/f")), None, None] == [key for _, key in rows]


@pytest.mark.parametrize("size", [1, CHUNK - 2, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 3 * CHUNK + 5])
def test_files_of_every_size_are_hashed_whole(tmp_path: Path, size: int) -> None:
    data = os.urandom(1000) * (size // 1000) + b"x" * (size % 1000)
    (tmp_path / "f").write_bytes(data)
    assert [content_hash(data)] == contents(tmp_path, ["f"])


def test_a_read_that_gives_few_bytes_at_a_time_is_carried_on(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "f").write_bytes(b"0123456789")
    real = os.read
    monkeypatch.setattr(os, "read", lambda descriptor, size: real(descriptor, min(size, 3)))
    assert [content_hash(b"0123456789")] == contents(root, ["f"], 1)


@pytest.mark.req("T61")
@pytest.mark.parametrize("data", [b"g\n", b"", b"longer\n", b"x" * (2 * CHUNK)])
def test_a_file_that_is_rewritten_while_it_is_read_is_refused(
    root: Path, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    real = os.read
    ticks = iter(range(10**9, 2 * 10**9))

    def rewriting(descriptor: int, size: int) -> bytes:
        found = real(descriptor, size)
        (root / "a/b/f").write_bytes(data)
        os.utime(root / "a/b/f", ns=(0, next(ticks)))
        return found

    monkeypatch.setattr(os, "read", rewriting)
    assert [("moving", "a/b/f")] == problems(root, ["a/b/f", "empty"], 1)


@pytest.mark.req("T61")
def test_a_file_that_keeps_growing_is_not_followed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "f").write_bytes(b"x" * (2 * CHUNK))
    real = os.read
    sizes = []

    def growing(descriptor: int, size: int) -> bytes:
        with (root / "f").open("ab") as file:
            file.write(b"more")
        sizes.append(size)
        return real(descriptor, size)

    monkeypatch.setattr(os, "read", growing)
    assert [("moving", "f")] == problems(root, ["f"], 1)
    assert 4 * CHUNK + 1000 > sum(sizes)


@pytest.mark.req("T61")
def test_a_file_that_moved_once_is_hashed_as_it_is_now(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.read
    once = iter([b"new"])

    def rewriting(descriptor: int, size: int) -> bytes:
        found = real(descriptor, size)
        for data in once:
            (root / "a/b/f").write_bytes(data)
        return found

    monkeypatch.setattr(os, "read", rewriting)
    assert [content_hash(b"new")] == contents(root, ["a/b/f"], 1)


@pytest.mark.req("T61", "T35")
def test_a_link_that_becomes_a_file_between_two_looks_is_looked_at_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open
    once = iter(["link"])

    def swapping(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        try:
            return real(path, flags, mode, dir_fd=dir_fd)
        except OSError:
            for name in once:
                (root / name).unlink()
                (root / name).write_bytes(b"now a file")
            raise

    monkeypatch.setattr(os, "open", swapping)
    assert [content_hash(b"now a file")] == contents(root, ["link"], 1)


@pytest.mark.req("T41")
def test_a_name_that_is_no_utf8_is_hashed_by_its_bytes(root: Path) -> None:
    names = [os.fsdecode(name) for name in (b" ", b"-rf", b"\xff", b'a"b', b"a\nb")]
    for name in names:
        (root / name).write_bytes(os.fsencode(name))
    assert [content_hash(os.fsencode(name)) for name in names] == contents(root, names, 2)


def test_workers_find_what_one_process_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashing, "_SHARE", 16)
    paths = ["absent", "large", *(f"{number % 7}/{number}" for number in range(250))]
    for number in range(250):
        (tmp_path / f"{number % 7}").mkdir(exist_ok=True)
        (tmp_path / f"{number % 7}/{number}").write_bytes(b"%d\n" % number)
    (tmp_path / "large").write_bytes(b"x" * 3_000_001)
    paths.sort()
    one = hash_files(str(tmp_path), paths, 1)
    for jobs in (2, 3, 8, 1000):
        done: list[int] = []
        assert one == hash_files(str(tmp_path), paths, jobs, done.append)
        assert len(paths) == sum(done)
    monkeypatch.setattr(hashing, "FORK_FROM", 100)
    assert one == hash_files(str(tmp_path), paths)
    assert [] == hash_files(str(tmp_path), [], 2)
    assert [] == hash_files(str(tmp_path), [])


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_root_that_is_not_there_is_refused(tmp_path: Path, jobs: int) -> None:
    with pytest.raises(FileError):
        hash_files(str(tmp_path / "nowhere"), ["a"], jobs)


def test_a_worker_that_dies_is_a_defect_and_no_verdict(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for death in (lambda *_: 1 / 0, lambda *_: os._exit(0), lambda *_: os.kill(os.getpid(), signal.SIGKILL)):
        monkeypatch.setattr(hashing, "_hash_share", death)
        with pytest.raises(RuntimeError, match="a hashing worker died"):
            hash_files(str(root), ["a/b/f"], 2)


def test_a_worker_that_dies_half_way_is_a_defect_too(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashing, "_SHARE", 1)
    real = hashing._hash_share

    def dying(*argv: object) -> object:
        if argv[1] == ["link"]:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*argv)  # type: ignore[arg-type]

    monkeypatch.setattr(hashing, "_hash_share", dying)
    with pytest.raises(RuntimeError, match="a hashing worker died"):
        hash_files(str(root), ["a/b/f", "empty", "link", "loop"], 2)


def test_a_worker_that_cannot_be_started_is_told_with_the_way_out(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing() -> int:
        raise BlockingIOError(errno.EAGAIN, "too many")

    monkeypatch.setattr(os, "fork", refusing)
    before = len(os.listdir("/proc/self/fd" if sys.platform == "linux" else "/dev/fd"))
    with pytest.raises(FileError) as caught:
        hash_files(str(root), ["a/b/f", "empty"], 2)
    assert "hash in one process: --jobs 1" == caught.value.problems[0].hint
    assert before == len(os.listdir("/proc/self/fd" if sys.platform == "linux" else "/dev/fd"))


@pytest.mark.req("T62")
def test_no_worker_outlives_a_run_that_is_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [str(number) for number in range(5000)]

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    def slowly(_: object, share: list[str]) -> list[tuple[str, None, None]]:
        time.sleep(0.02)
        return [("", None, None)] * len(share)

    monkeypatch.setattr(hashing, "_hash_share", slowly)
    before = set(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else set()
    with pytest.raises(KeyboardInterrupt):
        hash_files(str(tmp_path), paths, 4, interrupt)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
    if before:
        assert before == set(os.listdir("/proc/self/fd"))


@pytest.mark.req("T62")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_worker_outlives_a_run_that_is_killed(tmp_path: Path, number: signal.Signals) -> None:
    program = (
        "import time\n"
        "from snob.ground import hashing\n"
        "hashing._hash_share = lambda _, share: time.sleep(0.02) or [('', None, None)] * len(share)\n"
        "hashing.hash_files('.', [str(n) for n in range(3_000_000)], 4, lambda _: print('.', flush=True))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        assert run.stdout is not None
        run.stdout.readline()
        run.send_signal(number)
        # The pipe ends only when nobody holds it any more, workers included.
        run.communicate(timeout=20)
