"""What the pages say is what the command does."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest
from blake3 import blake3

from snob.errors import CODES
from snob.ground.globs import GlobSet
from snob.review.terms import NOTICES

if TYPE_CHECKING:
    from builders.repo import Repo

DOCS = Path(__file__).parent.parent / "docs"
SCHEMA = json.loads((DOCS / "schemas/report.schema.json").read_text())


def tables(page: str, heading: str) -> list[list[str]]:
    """The cells of the rows of the table below a heading of a page; the head left out."""
    text = (DOCS / page).read_text().split(heading, 1)[1]
    rows = [row for row in text.split("\n\n## ", 1)[0].splitlines() if row.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]


@pytest.mark.req("C18")
def test_every_row_of_the_pattern_table_is_true() -> None:
    rows = tables("globs.md", "# Patterns")
    assert len(rows) >= 12
    for pattern, hits, misses in rows:
        globs = GlobSet([pattern.strip("`")])
        assert [] == [path for path in re.findall("`([^`]+)`", hits) if not globs.matches(path)], pattern
        assert [] == [path for path in re.findall("`([^`]+)`", misses) if globs.matches(path)], pattern


def test_the_lists_of_codes_are_those_of_the_code() -> None:
    assert {f"`{code}`": meaning for code, meaning in NOTICES.items()} == dict(tables("formats.md", "## Notices"))
    assert {f"`{code}`": meaning for code, meaning in CODES.items()} == dict(tables("formats.md", "## Problems"))
    assert list(NOTICES) == SCHEMA["$defs"]["notice"]["properties"]["code"]["enum"]
    assert list(CODES) == SCHEMA["oneOf"][2]["properties"]["errors"]["items"]["properties"]["code"]["enum"]


def framed(text: str | bytes) -> bytes:
    """A framed text, as docs/identity.md says."""
    data = text.encode() if isinstance(text, str) else text
    return len(data).to_bytes(8, "little") + data


@pytest.mark.req("F20", "F21", "F22", "F3")
def test_a_subject_can_be_recomputed_from_the_page_alone(repo: Repo) -> None:
    files = {"src/a.py": b"a\n", "lib/é.py": b"e\n", "lib/two.py": b"2\r\n"}
    for path, data in files.items():
        repo.write(path, data)
    repo.write(
        "snob/policies/p.toml",
        'match = ["src/**"]\ncontext = ["lib/**", "src/**"]\n[rules.r]\ndescription = "d"\nreview = """\nlook  \n\n  twice\n\n"""\n',
    )
    fingerprint = blake3(
        framed("snob rule fingerprint v1") + framed("p/r") + framed("error") + framed("d") + framed("look\n\n  twice")
        + (2).to_bytes(8, "little") + framed("lib/**") + framed("src/**")
    ).hexdigest()  # fmt: skip
    buckets: dict[int, list[tuple[bytes, bytes]]] = {}
    for path in ("lib/é.py", "lib/two.py"):
        pair = framed(path) + framed(f"blake3:{blake3(files[path]).hexdigest()}")
        buckets.setdefault(blake3(path.encode()).digest()[0], []).append((path.encode(), pair))
    joined = b"".join(
        framed(blake3(b"".join(pair for _, pair in sorted(buckets.get(number, [])))).digest()) for number in range(256)
    )
    expected = {
        "path": "src/a.py",
        "content_hash": f"blake3:{blake3(files['src/a.py']).hexdigest()}",
        "rule": "p/r",
        "rule_fingerprint": f"blake3:{fingerprint}",
        "context": {
            "patterns": ["lib/**", "src/**"],
            "digest": f"blake3:{blake3(framed('snob context digest v1') + joined).hexdigest()}",
        },
    }
    assert expected == repo.subject("src/a.py")


def test_the_digest_of_no_pairs_is_the_printed_one(repo: Repo) -> None:
    repo.write("src/a.py").policy(extra='context = ["nowhere/**"]')
    digest = repo.subject("src/a.py")["context"]["digest"]
    assert digest in (DOCS / "identity.md").read_text()


def test_real_output_fits_the_published_schema(repo: Repo) -> None:
    repo.write("src/a.py", "a\n").write("src/b.py", "b\n").write("src/c.py", "c\r\n").write("src/d.py", "d\n")
    repo.policy(extra='context = ["src/b.py", "nowhere/*"]').policy("q", level="warning")
    repo.reviewed("src/a.py", claim_id="a").reviewed("src/c.py", claim_id="c")
    repo.claim("d", repo.subject("src/d.py"), verdict="violated").entry("src/d.py", "local:d")
    repo.write("src/c.py", "c\n").claim("b", None).entry("src/b.py", "local:b")
    seen = set()
    for argv in (
        ("check",),
        ("pending",),
        ("check", "src/a.py"),
        ("check", "nowhere"),
        ("check", "--bogus"),
        ("bogus",),
    ):
        report = repo.snob(*argv, "--format", "json").json()
        jsonschema.validate(report, SCHEMA)
        seen |= {row["status"] for row in report.get("obligations", [])}
    assert {"satisfied", "violated", "stale", "missing"} == seen
    repo.write("snob.toml", "x = 1\n")
    jsonschema.validate(repo.snob("pending", "--format", "json").exits(2).json(), SCHEMA)
