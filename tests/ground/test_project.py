"""Where a project's root is, from any folder in it, and what of a command line lies inside."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from builders.repo import Repo
from snob.errors import FileError, GitError, UsageError
from snob.ground.project import Project, inside, locate

if TYPE_CHECKING:
    from pathlib import Path

MARKER = "snob.toml"


def place(found: Project) -> tuple[str, str | None]:
    """The root, and its place in its repository."""
    assert found.git is None or found.git.folder == found.root
    return found.root, found.repository.prefix if found.repository is not None else None


@pytest.mark.req("T13")
@pytest.mark.parametrize(
    ("working", "chosen", "marker", "root"),
    [
        ("a/b/c", None, MARKER, "a"),
        ("a", None, MARKER, "a"),
        ("other", None, MARKER, ""),
        ("", None, MARKER, ""),
        ("a/b/c", None, None, ""),
        ("", "a/b", MARKER, "a/b"),
        ("a/b", "..", MARKER, "a"),
        ("a/b/c", "../../..", MARKER, ""),
        ("through", None, MARKER, "a"),
    ],
)
def test_in_git_the_root_is_chosen_or_marked_or_the_top(
    repo: Repo, working: str, chosen: str | None, marker: str | None, root: str
) -> None:
    repo.write("a/b/c/f").write("a/snob.toml").write("other/f").symlink("through", "a/b/c")
    expected = (str(repo.root / root), root)
    assert expected == place(locate(str(repo.root / working), chosen, marker))


def test_a_marker_above_the_top_is_not_looked_at(repo: Repo) -> None:
    (repo.root.parent / MARKER).write_text("")
    assert (str(repo.root), "") == place(locate(str(repo.root), None, MARKER))
    inner = Repo.new(repo.root / "inner")
    repo.write(MARKER)
    inner.write("x/f")
    assert (str(inner.root), "") == place(locate(str(inner.root / "x"), None, MARKER))


def test_a_marker_of_any_kind_marks(repo: Repo) -> None:
    # What it is worth is told when it is read; to pass over it would be to judge by other settings.
    repo.write("a/b/f").symlink("a/snob.toml", "nowhere")
    assert (str(repo.root / "a"), "a") == place(locate(str(repo.root / "a/b"), None, MARKER))


def test_outside_git_only_the_working_folder_is_looked_at(plain: Repo) -> None:
    plain.write("x/y/f").write(MARKER)
    for marker in (MARKER, None):
        assert (str(plain.root / "x/y"), None) == place(locate(str(plain.root / "x/y"), None, marker))
    assert (str(plain.root), None) == place(locate(str(plain.root / "x"), "..", MARKER))


def test_a_linked_work_tree_is_a_project_of_its_own(repo: Repo, tmp_path: Path) -> None:
    repo.write("a/snob.toml").write("a/b/f").commit()
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    assert (str(tmp_path / "linked/a"), "a") == place(locate(str(tmp_path / "linked/a/b"), None, MARKER))


@pytest.mark.parametrize("chosen", ["nowhere", "f", "f/x", "loop"])
def test_a_chosen_root_that_is_no_folder_is_a_usage_error(repo: Repo, chosen: str) -> None:
    repo.write("f").symlink("loop", "loop")
    with pytest.raises(UsageError) as caught:
        locate(str(repo.root), chosen, MARKER)
    assert "--project" == caught.value.problems[0].key


@pytest.mark.req("T33")
def test_a_marker_that_cannot_be_looked_for_is_not_absent(repo: Repo) -> None:
    with pytest.raises(FileError):
        locate(str(repo.root), None, "x" * 300)


@pytest.mark.req("T10", "C32")
def test_a_refusal_of_git_is_no_project_outside_git(plain: Repo) -> None:
    plain.write(".git", "gitdir: /nowhere\n")
    with pytest.raises(GitError):
        locate(str(plain.root), None, MARKER)


@pytest.mark.req("T13", "T15", "T66")
@pytest.mark.parametrize(
    ("working", "path", "expected"),
    [
        ("a/b", "x", "a/b/x"),
        ("a/b", "x/", "a/b/x"),
        ("a/b", "./x//y", "a/b/x/y"),
        ("a/b", "../../a/b/x", "a/b/x"),
        ("a/b", "../..", ""),
        ("a/b", ".", "a/b"),
        ("", ".", ""),
        ("a/b", "../../..", None),
        ("a/b", "../../../x", None),
        ("a", "../../project-evil/x", None),
        ("a", "/etc/passwd", None),
        ("a", "..x", "a/..x"),
        ("", "..x", "..x"),
        ("a", "*.ts", "a/*.ts"),
        ("a", ":(top)x", "a/:(top)x"),
        ("a", "-rf", "a/-rf"),
        ("a", "link/x", "a/link/x"),
        ("a", "\udcff\n", "a/\udcff\n"),
        ("through", "x", "a/b/x"),
    ],
)
def test_a_path_of_the_command_line_is_one_of_the_project_or_outside(
    repo: Repo, working: str, path: str, expected: str | None
) -> None:
    repo.write("a/b/f").symlink("a/link", "/etc").symlink("through", "a/b")
    project = Project(str(repo.root), None, None)
    assert expected == inside(project, str(repo.root / working), path)
    if expected is not None:
        assert expected == inside(project, "/", os.path.join(repo.root, expected))
