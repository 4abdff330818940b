"""Review files of files that are gone: the marker, what it excuses, and what it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from builders.repo import Repo

MARKED = 'deleted = true\ncontext = ["nowhere/**"]\n[claims]\n"p/r" = "gone:1"\n"no/rule" = "local:none"\n'


@pytest.mark.req("F75", "T44")
def test_the_record_of_a_deletion_breaks_nothing_and_satisfies_nothing(repo: Repo) -> None:
    # (Owed, Pass) marked before and after the deletion is staged, while its provider is gone.
    repo.write("src/a.py", "a\n").write("src/b.py", "b\n").policy().commit()
    repo.remove("src/a.py").write("snob/reviews/src/a.py.review.toml", MARKED)
    for _ in range(2):
        ran = repo.snob("check", "--format", "json").exits(1)
        assert {("src/b.py", "p/r"): "missing"} == ran.statuses()
        assert ["unknown-provider"] == ran.notice_codes()
        assert "`gone`" in ran.json()["notices"][0]["message"]
        repo.snob("explain", "src/b.py").exits(0)
        repo.git("add", "-A")
    repo.reviewed("src/b.py").snob("check").exits(0)


@pytest.mark.req("F75")
def test_the_same_entry_of_a_file_that_is_there_ends_the_run(repo: Repo) -> None:
    # (No verdict) the provider is wanted as soon as a row is judged by it.
    repo.write("src/a.py", "a\n").policy().entry("src/a.py", "gone:1")
    refused = repo.snob("check", "--format", "json").exits(2).json()["errors"]
    assert [("no-provider", "snob/reviews/src/a.py.review.toml", "p/r")] == [
        (error["code"], error["path"], error["key"]) for error in refused
    ]
    assert "[providers.gone]" in refused[0]["hint"]


@pytest.mark.req("F76", "T44")
@pytest.mark.parametrize("kind", ["file", "ignored by git", "ignored by us", "link", "dangling link"])
def test_the_marker_is_an_error_while_anything_stands_there(repo: Repo, kind: str) -> None:
    # (No verdict) the file exists in any way; then it goes, and the marker is right again.
    repo.write("src/b.py").policy(level="warning").write(
        "snob/reviews/src/a.py.review.toml", "deleted = true\n"
    ).commit()
    repo.snob("check").exits(0)
    match kind:
        case "link":
            repo.symlink("src/a.py", "b.py")
        case "dangling link":
            repo.symlink("src/a.py", "nowhere")
        case _:
            repo.write("src/a.py")
    if kind == "ignored by git":
        repo.write(".gitignore", "a.py\n")
    if kind == "ignored by us":
        repo.write("snob.toml", 'ignore = ["src/a.py"]\n')
    refused = repo.snob("check", "--format", "json").exits(2).json()["errors"]
    assert [("source-exists", "deleted", "remove the marker")] == [(e["code"], e["key"], e["hint"]) for e in refused]
    repo.remove("src/a.py").snob("check").exits(0)


@pytest.mark.req("F77")
def test_a_folder_in_a_file_s_place_is_no_source(repo: Repo) -> None:
    # (No verdict, Pass) a folder is a deletion; the marker says so.
    repo.write("src/a.py/inside").policy(level="warning").write("snob/reviews/src/a.py.review.toml")
    assert ["no-source"] == repo.snob("check", "--format", "json").exits(2).error_codes()
    repo.write("snob/reviews/src/a.py.review.toml", "deleted = true\n").snob("check").exits(0)


@pytest.mark.req("F77", "C14")
def test_a_marker_on_a_misspelt_path_hides_itself_alone(repo: Repo) -> None:
    # (Owed) the real file's obligation stands, with or without its own review file.
    repo.write("src/admin.py", "x\n").policy().reviewed("src/admin.py")
    (repo.root / "snob/reviews/src/admin.py.review.toml").rename(repo.root / "snob/reviews/src/admn.py.review.toml")
    assert ["no-source"] == repo.snob("check", "--format", "json").exits(2).error_codes()
    entry = (repo.root / "snob/reviews/src/admn.py.review.toml").read_text()
    repo.write("snob/reviews/src/admn.py.review.toml", f"deleted = true\n{entry}")
    assert {("src/admin.py", "p/r"): "missing"} == repo.snob("check", "--format", "json").exits(1).statuses()


def test_a_review_file_without_a_name_is_a_stray_and_no_record(repo: Repo) -> None:
    # (Pass) `.review.toml` is the review file of nothing, in whatever folder.
    repo.write("src/a.py").policy(level="warning").write("snob/reviews/.review.toml").write(
        "snob/reviews/src/.review.toml"
    )
    ran = repo.snob("check", "--format", "json").exits(0)
    assert ["stray-file", "stray-file"] == ran.notice_codes()
