"""Where a project's root is, and what git says of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from snob.errors import Problem, UsageError
from snob.ground.git import discover, stands_at
from snob.ground.paths import shown

if TYPE_CHECKING:
    from snob.ground.git import Git, Repository


class Project(NamedTuple):
    """A root folder, and the repository around it where there is one."""

    root: str
    """The absolute path of the root, links resolved."""
    git: Git | None
    """A runner that works in the root; None outside git."""
    repository: Repository | None
    """What git says of the root; None outside git."""


def locate(working: str, chosen: str | None, marker: str | None) -> Project:
    """
    The project that a command run in the folder `working` is about.

    The root is `chosen` where it is given; else the folder of the nearest file `marker` at or above `working`, the search
    ending at the git top level, outside git at `working` itself; else the git top level; else `working`.
    Raises `UsageError` where `chosen` is no folder, `FileError` where a folder cannot be looked into, and `GitError` as git does.
    """
    if chosen == "":
        raise UsageError(Problem("usage", "the folder is empty", key="--project", hint="a variable that is not set?"))
    start = os.path.realpath(os.path.join(working, chosen) if chosen is not None else working)
    if not os.path.isdir(start):
        raise UsageError(Problem("usage", f"{shown(chosen or working)} is no folder", key="--project"))
    found = discover(start)
    if chosen is not None:
        return Project(start, *(found or (None, None)))
    root = _search(start, found[1].top if found is not None else start, marker)
    if found is None or root == start:
        return Project(root, *(found or (None, None)))
    git, repository = found
    prefix = os.path.relpath(root, repository.top).replace(os.sep, "/")
    return Project(root, git.at(root), repository._replace(prefix="" if prefix == "." else prefix))


def _search(start: str, top: str, marker: str | None) -> str:
    folder = start
    while marker is not None:
        if stands_at(os.path.join(folder, marker)):
            return folder
        above = os.path.dirname(folder)
        if folder in (top, above):
            break
        folder = above
    return top


def inside(project: Project, working: str, path: str) -> str | None:
    """
    A path of the command line, relative to `working`, as one relative to the root; None where it lies outside.

    It is taken literally: no pattern, and no link in it is followed. The root itself is the empty text.
    """
    absolute = os.path.normpath(os.path.join(os.path.realpath(working), path))
    relative = os.path.relpath(absolute, project.root).replace(os.sep, "/")
    if relative == ".":
        return ""
    return None if relative == ".." or relative.startswith("../") else relative
