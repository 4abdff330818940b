"""What the pages say is what the command does."""

from __future__ import annotations

import ast
import re
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from blake3 import blake3

from snob.errors import CODES
from snob.ground.globs import GlobSet
from snob.review.terms import NOTICES

if TYPE_CHECKING:
    from builders.repo import Repo

DOCS = Path(__file__).parent.parent / "docs"


def table(page: str, heading: str) -> list[list[str]]:
    """The cells of the rows of the first table below some words of a page; the head left out."""
    lines = iter((DOCS / page).read_text().split(heading, 1)[1].splitlines())
    first = next(line for line in lines if line.startswith("|"))
    rows = [first, *takewhile(lambda line: line.startswith("|"), lines)]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]


@pytest.mark.req("C18")
def test_every_row_of_the_pattern_table_is_true() -> None:
    rows = table("globs.md", "# Patterns")
    assert len(rows) >= 12
    for pattern, hits, misses in rows:
        globs = GlobSet([pattern.strip("`")])
        assert [] == [path for path in re.findall("`([^`]+)`", hits) if not globs.matches(path)], pattern
        assert [] == [path for path in re.findall("`([^`]+)`", misses) if globs.matches(path)], pattern


def test_the_lists_of_codes_are_those_of_the_code() -> None:
    assert {f"`{code}`": meaning for code, meaning in NOTICES.items()} == dict(table("formats.md", "## Notices"))
    assert {f"`{code}`": meaning for code, meaning in CODES.items()} == dict(table("formats.md", "## Problems"))


def framed(data: bytes) -> bytes:
    """A framed text, as docs/identity.md says."""
    return len(data).to_bytes(8, "little") + data


def listed(*items: bytes) -> bytes:
    """A list of texts, as docs/identity.md says."""
    return len(items).to_bytes(8, "little") + b"".join(map(framed, items))


def hashed(data: bytes, algorithm: str = "blake3") -> str:
    """A digest as it is written."""
    return f"{algorithm}:{blake3(data).hexdigest()}"


KINDS = {"file": "blake3", "link": "blake3-symlink", "submodule": "blake3-gitlink"}
FINGERPRINT = hashed(
    b"".join(map(framed, (b"snob rule fingerprint v1", b"p/r", b"error", b"d", b"look\n\n  twice")))
    + listed(b"lib/**", b"src/**")
)


def example() -> dict[str, tuple[str, bytes]]:
    """The files of the worked example: kind and bytes by path."""
    rows = table("identity.md", "## A worked example")
    return {path.strip("`"): (kind, ast.literal_eval(data.strip("`"))) for path, kind, data in rows}


def context_digest(files: dict[str, tuple[str, bytes]], without: str) -> str:
    """The digest of all files but one."""
    buckets: dict[int, list[tuple[bytes, bytes]]] = {}
    for path, (kind, data) in files.items():
        name = path.encode()
        if path != without:
            pair = framed(name) + framed(hashed(data, KINDS[kind]).encode())
            buckets.setdefault(blake3(name).digest()[0], []).append((name, pair))
    joined = b"".join(
        framed(blake3(b"".join(pair for _, pair in sorted(buckets.get(number, [])))).digest()) for number in range(256)
    )
    return hashed(framed(b"snob context digest v1") + joined)


@pytest.mark.req("F20", "F21", "F22", "F3")
def test_the_command_finds_what_the_worked_example_says(repo: Repo) -> None:
    page = (DOCS / "identity.md").read_text()
    files = example()
    for path, (kind, data) in files.items():
        if kind == "file":
            repo.write(path, data)
        elif kind == "link":
            repo.symlink(path, data.decode())
        else:
            repo.git("update-index", "--add", "--cacheinfo", f"160000,{data.decode()},{path}")
            (repo.root / path).mkdir()
    assert "look  \n" in page, "the example is about blanks at the end of a line, and an editor took them"
    repo.write("snob/policies/p.toml", page.split("```toml\n", 1)[1].split("```", 1)[0])
    expected = {
        path: {
            "path": path,
            "content_hash": hashed(data, KINDS[kind]),
            "rule": "p/r",
            "rule_fingerprint": FINGERPRINT,
            "context": {"patterns": ["lib/**", "src/**"], "digest": context_digest(files, path)},
        }
        for path, (kind, data) in files.items()
        if path.startswith("src/")
    }
    assert {"src/app.py", "src/link", "src/sub"} == expected.keys()
    rows = repo.snob("pending", "--format", "json").exits(0).json()["obligations"]
    assert expected == {row["path"]: row["subject"] for row in rows}


def test_the_worked_example_gives_its_printed_values() -> None:
    files = example()
    values = {f"content hash of `{path}`": hashed(data, KINDS[kind]) for path, (kind, data) in files.items()}
    values |= {
        "rule fingerprint of `p/r`": FINGERPRINT,
        "context digest of `src/app.py`": context_digest(files, "src/app.py"),
    }
    assert values == {what: value.strip("`") for what, value in table("identity.md", "which gives")}


def test_the_code_of_the_worked_example_gives_the_printed_values() -> None:
    page = (DOCS / "identity.md").read_text()
    found: dict[str, Any] = {}
    exec(page.split("```python\n", 1)[1].split("```", 1)[0], found)
    printed = {what: value.strip("`") for what, value in table("identity.md", "which gives")}
    assert [*found["contents"].values(), found["fingerprint"], found["context"]] == list(printed.values())


def test_the_printed_frames_are_frames() -> None:
    page = (DOCS / "identity.md").read_text()
    assert f"`{framed(b'p/r').hex(' ')}`" in page
    assert f"`{listed(b'a').hex(' ')}`" in page


def test_the_digest_of_no_pairs_is_the_printed_one(repo: Repo) -> None:
    repo.write("src/a.py").policy(extra='context = ["nowhere/**"]')
    digest = repo.subject("src/a.py")["context"]["digest"]
    assert digest in (DOCS / "identity.md").read_text()
