"""Which files may be judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from snob.ground.git import GITLINK_MODE
from snob.ground.globs import GlobSet
from snob.ground.paths import shown
from snob.review.review_files import SUFFIX
from snob.review.terms import Notice

if TYPE_CHECKING:
    from snob.ground.snapshots import Snapshot
    from snob.review.settings import Settings

TOOL_FOLDER = ".snob/"
"""What the tool itself keeps in a project; a candidate only where git tracks it."""


class Candidates(NamedTuple):
    """The files that rules may match, sorted; some may turn out to be absent when they are looked at."""

    paths: tuple[str, ...]
    untracked: frozenset[str]
    """Those that git does not track; empty outside git."""
    sparse: frozenset[str]
    """Tracked paths that a sparse checkout may have left out."""
    submodules: frozenset[str]
    in_git: bool
    notices: tuple[Notice, ...]


def read_candidates(snapshot: Snapshot, settings: Settings, *, in_git: bool) -> Candidates:
    """The candidates of a snapshot (formats.md, Candidates)."""
    ignore = GlobSet(settings.ignore)
    paths = []
    untracked = set()
    sparse = set()
    submodules = set()
    notices = []
    reviews, claims = settings.reviews + "/", settings.claims + "/"
    for listed in snapshot.listing():
        path = listed.path
        if path.endswith("/"):
            if not path.startswith(TOOL_FOLDER):
                message = "an untracked repository; its files are not judged here"
                notices.append(Notice("nested-repository", message, shown(path)))
            continue
        if (path.startswith(reviews) and path.endswith(SUFFIX)) or (path.startswith(claims) and path.endswith(".toml")):
            continue
        if path.startswith(TOOL_FOLDER) and not listed.tracked:
            continue
        if path == ".git" or path.endswith("/.git"):
            continue
        if settings.ignore and ignore.matches(path):
            continue
        paths.append(path)
        if not listed.tracked:
            if in_git:
                untracked.add(path)
        else:
            if listed.skip_worktree:
                sparse.add(path)
            if listed.mode == GITLINK_MODE:
                submodules.add(path)
    if settings.ignore and not paths:
        notices.append(Notice("ignore-leaves-nothing", "`ignore` leaves no candidate", "snob.toml"))
    return Candidates(
        tuple(paths), frozenset(untracked), frozenset(sparse), frozenset(submodules), in_git, tuple(notices)
    )


def is_record(path: str, settings: Settings) -> bool:
    """Whether a candidate is a policy; with review and claim files, which are no candidates, these are the records."""
    return path.startswith(settings.policies + "/") and path.endswith(".toml")
