"""Which files may be judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from snob.ground.git import GITLINK_MODE
from snob.ground.globs import GlobSet
from snob.ground.paths import shown
from snob.review.review_files import SUFFIX
from snob.review.terms import Notice

if TYPE_CHECKING:
    from snob.ground.git import Listing
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
    """Tracked paths that a sparse checkout may have left out, ignored ones too."""
    submodules: frozenset[str]
    """The submodules of the project, ignored ones too."""
    in_git: bool
    notices: tuple[Notice, ...]


def read_candidates(snapshot: Snapshot, settings: Settings, *, in_git: bool) -> Candidates:
    """The candidates of a snapshot (formats.md, Candidates)."""
    listing = snapshot.listing()
    notices = []
    own = (settings.reviews + "/", settings.claims + "/", TOOL_FOLDER)
    paths = []
    for path in listing.paths:
        if path.startswith(own) and _is_own(path, settings, listing):
            continue
        if path.endswith("/"):
            message = "an untracked repository; its files are not judged here"
            notices.append(Notice("nested-repository", message, shown(path)))
        elif path != ".git" and not path.endswith("/.git"):
            paths.append(path)
    if settings.ignore:
        accepted = GlobSet(settings.ignore).accepted_all(paths)
        paths = [path for path, ignored in zip(paths, accepted, strict=True) if not ignored]
    kept = frozenset(paths) if listing.odd else frozenset()
    odd = listing.odd.values()
    untracked = frozenset(listed.path for listed in odd if in_git and not listed.tracked and listed.path in kept)
    sparse = frozenset(listed.path for listed in odd if listed.skip_worktree)
    submodules = frozenset(listed.path for listed in odd if listed.mode == GITLINK_MODE)
    if settings.ignore and not paths:
        notices.append(Notice("ignore-leaves-nothing", "`ignore` leaves no candidate", "snob.toml"))
    return Candidates(tuple(paths), untracked, sparse, submodules, in_git, tuple(notices))


def _is_own(path: str, settings: Settings, listing: Listing) -> bool:
    """Whether a path below one of our folders is a review file, a claim, or what the tool keeps for itself."""
    if path.startswith(TOOL_FOLDER):
        return path in listing.odd and not listing.odd[path].tracked
    return path.endswith(SUFFIX) if path.startswith(settings.reviews + "/") else path.endswith(".toml")


def is_record(path: str, settings: Settings) -> bool:
    """Whether a candidate is a policy; with review and claim files, which are no candidates, these are the records."""
    return path.startswith(settings.policies + "/") and path.endswith(".toml")
