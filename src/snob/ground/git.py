"""
The one runner of git, and the questions that are put to it.

Git is configured by files that the author of a change may write, and by an environment that often points into the
checkout. So every call has an environment built from an allow-list, with no `GIT_*` of the caller (T1), flags that switch
off whatever could run a program or reach a network (T2, T8), and no replace refs (T6). Git is found by an absolute
path outside the checkout (T11) and discovers the repository by itself, so that its own ownership guard holds (T10).
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Final, NamedTuple

from snob.errors import FileError, GitError, Problem
from snob.ground.paths import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

TIMEOUT: Final = 600.0
"""Seconds after which a git process is ended: far beyond any honest answer, so that nothing hangs."""

_KEPT: Final = (
    "PATH", "HOME", "TMPDIR", "TEMP", "TMP", "USER", "LOGNAME", "XDG_CONFIG_HOME",
    "SYSTEMROOT", "USERPROFILE", "APPDATA", "PROGRAMDATA", "COMSPEC", "PATHEXT",
)  # fmt: skip
_SET: Final = {
    "LC_ALL": "C",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
_FLAGS: Final = (
    "--no-pager",
    "--literal-pathspecs",
    "-c", "core.fsmonitor=false",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.untrackedCache=false",
    "-c", "core.ignoreCase=false",
    "-c", "core.trustctime=true",
    "-c", "core.checkStat=default",
    "-c", "safe.bareRepository=explicit",
    "-c", "protocol.allow=never",
)  # fmt: skip


class Repository(NamedTuple):
    """What git says of the repository that holds a folder."""

    top: str
    """The absolute path of the work tree."""
    git_dir: str
    """The absolute path of the git directory, which in a linked work tree is that work tree's own."""
    prefix: str
    """The folder that was asked about, relative to `top`; empty where it is `top` itself."""
    object_format: str
    """`sha1` or `sha256`: what object ids are."""
    shallow: bool
    """Whether history is cut off."""


class Listed(NamedTuple):
    """One path that `ls-files` names, with all that it says of it."""

    path: str
    """Relative to the folder that was listed; a nested repository ends in `/`."""
    tracked: bool
    """Whether the index has it."""
    mode: int
    """The index's file mode, 0 where it is untracked."""
    oid: str
    """The index's object id in hexadecimal, empty where it is untracked."""
    skip_worktree: bool
    """Whether a sparse checkout may leave it out of the work tree."""


class Listing(NamedTuple):
    """What a version control system shows of a tree."""

    paths: list[str]
    """Every path once, sorted by its text; an untracked nested repository ends in `/`."""
    odd: Mapping[str, Listed]
    """Of each path that is anything but a tracked regular file in a full work tree, what is known."""


class TreeEntry(NamedTuple):
    """One path of a commit's tree."""

    path: str
    mode: int
    oid: str


GITLINK_MODE: Final = 0o160000
SYMLINK_MODE: Final = 0o120000


def find_git(start: str) -> str | None:
    """
    The absolute path of the git program; None where there is none to be had.

    Relative and empty entries of PATH are passed over, and so is every entry inside the outermost work tree around
    `start`, or inside `start` itself where there is none, because the change under review may have put a `git` there (T11).
    """
    checkout = start = os.path.realpath(start)
    # NOTE: a nested repository is a file of the one around it, so the outermost counts; but a work tree at the root of
    # the file system would leave no git at all.
    while (around := _enclosing_work_tree(start)) is not None and os.path.dirname(around) != around:
        checkout, start = around, os.path.dirname(around)
    checkout = checkout.rstrip(os.sep) + os.sep
    name = "git.exe" if os.name == "nt" else "git"
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if not os.path.isabs(folder):
            continue
        program = os.path.join(folder, name)
        if not os.path.isfile(program) or not os.access(program, os.X_OK):
            continue
        if any((os.path.realpath(place) + os.sep).startswith(checkout) for place in (folder, program)):
            continue
        return program
    return None


def stands_at(path: str) -> bool:
    """Whether anything stands at an absolute path; raises `FileError` where that cannot be told (T33)."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise FileError(Problem("unreadable", os.strerror(error.errno or 0), shown(path))) from error
    return True


def _enclosing_work_tree(folder: str) -> str | None:
    """The nearest folder at or above `folder` that holds a `.git`, as git's own search would meet it."""
    while True:
        if stands_at(os.path.join(folder, ".git")):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def discover(folder: str) -> tuple[Git, Repository] | None:
    """
    The repository that holds `folder`, and a runner that works there; None outside git.

    Raises `GitError` where there is a repository and git is missing, refuses or fails: a refusal never counts as "outside
    git" (T10, C32).
    """
    work_tree = _enclosing_work_tree(os.path.realpath(folder))
    program = find_git(folder)
    if program is None:
        if work_tree is None:
            return None
        message = f"{shown(work_tree)} is a git work tree, and no git was found in an absolute PATH entry outside it"
        raise GitError(Problem("no-git", message, hint="install git, or name its folder in PATH"))
    git = Git(program, folder)
    answer = git.answer(
        "rev-parse", "--show-object-format", "--is-shallow-repository",
        "--absolute-git-dir", "--show-prefix", "--show-toplevel",
    )  # fmt: skip
    if answer.code == 128 and work_tree is None and b"not a git repository" in answer.err:
        return None
    if answer.code != 0:
        raise git.failure("rev-parse", answer)
    lines = os.fsdecode(answer.out).split("\n")
    if len(lines) != 6 or lines[0] not in {"sha1", "sha256"} or lines[1] not in {"true", "false"}:
        raise GitError(Problem("git", f"git rev-parse answered out of form: {shown(os.fsdecode(answer.out))}"))
    object_format, shallow, git_dir, prefix, top, _ = lines
    return git, Repository(top, git_dir, prefix.rstrip("/"), object_format, shallow == "true")


class Answer(NamedTuple):
    """How a git process ended, and what it wrote."""

    code: int
    out: bytes
    err: bytes


class Git:
    """Runs git in one folder, which it never leaves."""

    def __init__(self, program: str, folder: str) -> None:
        """Run `program` in `folder`."""
        self.program = program
        self.folder = folder

    def at(self, folder: str) -> Git:
        """The same git in another folder."""
        return Git(self.program, folder)

    def answer(self, *argv: str, stdin: int = subprocess.DEVNULL) -> Answer:
        """Run one command to its end, whatever its exit status; raises `GitError` where it cannot start or never ends."""
        return self.start(*argv, stdin=stdin).finish()

    def run(self, *argv: str, stdin: int = subprocess.DEVNULL) -> bytes:
        """What a command wrote; raises `GitError`, with git's own words, on any exit status but 0."""
        return self.start(*argv, stdin=stdin).output()

    def start(self, *argv: str, stdin: int = subprocess.DEVNULL) -> Running:
        """Start a command whose answer is wanted later, so that it works beside us."""
        try:
            process = subprocess.Popen(  # noqa: S603 - an absolute program and a list, never a shell
                [self.program, *_FLAGS, "-C", self.folder, *argv],
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=_environment(),
                cwd=os.path.dirname(self.program),
            )
        except OSError as error:
            raise GitError(Problem("no-git", f"{self.program} does not start: {error.strerror}")) from error
        return Running(self, argv[0], process)

    def failure(self, command: str, answer: Answer) -> GitError:
        """The error that quotes what git said."""
        said = shown(os.fsdecode(answer.err).strip().replace("\n", " ")) or "nothing"
        hint = None
        if b"dubious ownership" in answer.err:
            hint = "check out as the user who runs snob, or follow git's advice if you trust the owner"
        elif b"promisor" in answer.err or b"lazy fetching" in answer.err:
            hint = "a partial clone lacks objects, and none is fetched during a check: fetch them first"
        elif b"safe.bareRepository" in answer.err or b"bare repository" in answer.err:
            hint = "a folder that looks like a bare repository is not entered; run from the project's own folder"
        return GitError(Problem("git", f"git {command} ended with {answer.code} and said: {said}", hint=hint))


class Running:
    """A git process under way."""

    def __init__(self, git: Git, command: str, process: subprocess.Popen[bytes]) -> None:
        """Wait for `process`, which runs `command`."""
        self._git = git
        self._command = command
        self._process = process

    def finish(self) -> Answer:
        """Wait for the end; raises `GitError` where it never comes."""
        try:
            out, err = self._process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired as error:
            message = f"git {self._command} did not end within {TIMEOUT:.0f} seconds"
            raise GitError(Problem("git", message)) from error
        finally:
            if self._process.returncode is None:
                self.abandon()
        return Answer(self._process.returncode, out, err)

    def output(self) -> bytes:
        """What it wrote; raises `GitError` on any exit status but 0."""
        answer = self.finish()
        if answer.code != 0:
            raise self.failure(answer)
        return answer.out

    def failure(self, answer: Answer) -> GitError:
        """The error that quotes what this process said."""
        return self._git.failure(self._command, answer)

    def abandon(self) -> None:
        """End the process; its answer is not wanted any more."""
        self._process.kill()
        # Not `communicate`: what git started may hold the other end of a pipe open for as long as it likes (T11).
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        self._process.wait()


def _environment() -> Mapping[str, str]:
    kept = {name: value for name in _KEPT if (value := os.environ.get(name)) is not None}
    return kept | _SET


def start_listing(git: Git) -> Running:
    """Start the one process that lists tracked and untracked files below git's folder; read it with `read_listing`."""
    return git.start("ls-files", "-z", "-v", "-s", "-c", "-o", "--exclude-standard")


def read_listing(running: Running) -> Listing:
    """
    What is tracked, and what is untracked and not ignored.

    A path in conflict stands in the index three times, and is listed once (T47). Raises `GitError`.
    """
    paths = []
    odd: dict[str, Listed] = {}
    for row in os.fsdecode(_whole_listing(running)).split("\0"):
        if row[:9] in _PLAIN_ROWS:
            paths.append(row.partition("\t")[2])
        elif row[:2] == "? ":
            paths.append(row[2:])
            odd.setdefault(row[2:], Listed(row[2:], tracked=False, mode=0, oid="", skip_worktree=False))
        elif row:
            listed = _read_row(row)
            paths.append(listed.path)
            odd[listed.path] = listed
    return Listing(sorted(set(paths)), odd)


def _whole_listing(running: Running) -> bytes:
    """What `ls-files` wrote; it only warns of a folder that it cannot look into, and that is no listing (T33)."""
    answer = running.finish()
    unopened = [said for said in os.fsdecode(answer.err).splitlines() if "could not open directory" in said]
    if answer.code == 0 and unopened:
        hint = "make it readable for the user who runs snob, or let git ignore it"
        raise GitError(*(Problem("unreadable", f"git ls-files said: {shown(said)}", hint=hint) for said in unopened))
    if answer.code != 0:
        raise running.failure(answer)
    return answer.out


_PLAIN_ROWS: Final = frozenset({"H 100644 ", "H 100755 "})
"""How the row of a tracked regular file begins."""


def _read_row(row: str) -> Listed:
    head, tab, path = row.partition("\t")
    fields = head.split(" ")
    if not tab or len(fields) != 4:
        raise GitError(Problem("git", f"git ls-files answered out of form: {shown(row)}"))
    tag, mode, oid, _ = fields
    return Listed(path, tracked=True, mode=int(mode, 8), oid=oid, skip_worktree=tag in "Ss")


def list_tree(git: Git, commit: str, prefix: str) -> list[TreeEntry]:
    """
    Every file, link and submodule of a commit below `prefix`, with paths relative to it, sorted by their text.

    `commit` is a full object id. Raises `GitError`.
    """
    out = os.fsdecode(git.run("ls-tree", "-r", "-z", "--full-tree", "--end-of-options", commit))
    lead = f"{prefix}/" if prefix else ""
    entries = []
    for row in out.split("\0"):
        if not row:
            continue
        head, tab, path = row.partition("\t")
        fields = head.split(" ")
        if not tab or len(fields) != 3:
            raise GitError(Problem("git", f"git ls-tree answered out of form: {shown(row)}"))
        if path.startswith(lead):
            entries.append(TreeEntry(path[len(lead) :], int(fields[0], 8), fields[2]))
    return sorted(entries)


def blob_sizes(git: Git, oids: Iterable[str]) -> dict[str, int]:
    """
    The size in bytes of each blob, so that one can be refused before it is read (T60).

    Raises `GitError` where an object is missing or is no blob.
    """
    wanted = list(oids)
    rows = iter(_ask_objects(git, "--batch-check", wanted).split(b"\n"))
    return {oid: _blob_size(next(rows, b""), oid) for oid in wanted}


def _ask_objects(git: Git, mode: str, oids: list[str]) -> bytes:
    """What `cat-file` answers to object ids, which stand in a file, so that neither side waits for the other (T12)."""
    import tempfile  # noqa: PLC0415 - only a command that reads history pays for it

    if not oids:
        return b""
    with tempfile.TemporaryFile() as request:
        request.write("".join(f"{oid}\n" for oid in oids).encode("ascii"))
        request.seek(0)
        return git.run("cat-file", mode, "--buffer", stdin=request.fileno())


def _blob_size(header: bytes, oid: str) -> int:
    """The size that the header of an answer about `oid` tells."""
    fields = header.split(b" ")
    if fields[1:] == [b"missing"]:
        hint = "fetch it: a shallow or partial clone lacks objects, and none is fetched during a check"
        raise GitError(Problem("git", f"object {oid} is missing from this clone", hint=hint))
    if len(fields) != 3 or fields[0] != oid.encode() or fields[1] != b"blob" or not fields[2].isdigit():
        raise GitError(Problem("git", f"git cat-file answered out of form for object {oid}"))
    return int(fields[2])


def read_blobs(git: Git, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """
    The bytes of each blob, in the order asked for, from one process; each answer is checked (T12).

    Raises `GitError` where an object is missing, is no blob, or its bytes do not give its id.
    """
    wanted = list(oids)
    out = _ask_objects(git, "--batch", wanted)
    place = 0
    for oid in wanted:
        end = out.find(b"\n", place)
        size = _blob_size(out[place:end] if end >= 0 else b"", oid)
        data = out[end + 1 : end + 1 + size]
        if blob_id(data, "sha1" if len(oid) == 40 else "sha256") != oid:
            raise GitError(Problem("git", f"object {oid} is damaged: its bytes give another id", hint="run git fsck"))
        place = end + 2 + size
        yield oid, data


def blob_id(data: bytes, object_format: str) -> str:
    """The id that git gives to a blob of these bytes."""
    import hashlib  # noqa: PLC0415 - only a command that reads history pays for it

    state = hashlib.new(object_format, b"blob %d\0" % len(data), usedforsecurity=False)
    state.update(data)
    return state.hexdigest()
