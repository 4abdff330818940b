"""What the command writes for machines fits the published schemas, and these let nothing else through."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from snob.errors import CODES
from snob.review.terms import NOTICES, Level, Standing, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from builders.repo import Ran, Repo

SCHEMAS = Path(__file__).parent.parent / "docs/schemas"
REPORT = json.loads((SCHEMAS / "report.schema.json").read_text())
EXPLAIN = json.loads((SCHEMAS / "explain.schema.json").read_text())
CHECK, PENDING, ERROR = REPORT["oneOf"]


def faults(document: Any, schema: Any = REPORT) -> list[str]:
    """Why a document does not fit, in the schema's words."""
    return [
        f"{fault.json_path}: {fault.message}"
        for error in Draft202012Validator(schema).iter_errors(document)
        for fault in (error, *(error.context or ()))
    ]


def fitting(ran: Ran, code: int, schema: Any = REPORT) -> Any:
    """The document of a run that ended with `code`, which fits."""
    document = ran.exits(code).json()
    assert [] == faults(document, schema)
    return document


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Every object in a schema."""
    if isinstance(schema, dict):
        yield schema
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from nodes(part)


@pytest.mark.parametrize("schema", [REPORT, EXPLAIN], ids=["report", "explain"])
def test_a_schema_is_one_and_is_closed(schema: Any) -> None:
    Draft202012Validator.check_schema(schema)
    objects = [node for node in nodes(schema) if node.get("type") == "object"]
    assert 8 <= len(objects)
    assert [] == [node for node in objects if node["additionalProperties"] is not False or not node["required"]]


def test_the_closed_lists_are_those_of_the_code() -> None:
    row = CHECK["properties"]["obligations"]["items"]["properties"]
    owed = PENDING["properties"]["obligations"]["items"]["properties"]
    assert list(NOTICES) == REPORT["$defs"]["notice"]["properties"]["code"]["enum"]
    assert list(CODES) == ERROR["properties"]["errors"]["items"]["properties"]["code"]["enum"]
    assert [level.value for level in Level] == row["level"]["enum"] == owed["level"]["enum"]
    assert [standing.value for standing in Standing if standing is not Standing.SATISFIED] == owed["status"]["enum"]
    assert {standing.value for standing in Standing} == set(row["status"]["enum"])
    assert [verdict.value for verdict in Verdict] == REPORT["$defs"]["claim"]["properties"]["verdict"]["enum"]


@pytest.mark.req("F9", "F10")
@pytest.mark.parametrize("command", ["check", "pending"])
def test_a_report_with_every_status_fits(repo: Repo, command: str) -> None:
    for name in ("missing", "unknown", "satisfied", "violated", "stale"):
        repo.write(f"src/{name}.py", f"{name}\n")
    repo.policy(extra='context = ["lib/**"]').policy("q", level="warning", match='["src/missing.py"]').write("lib/a")
    repo.entry("src/unknown.py", "local:none").reviewed("src/satisfied.py", claim_id="yes")
    repo.claim("no", repo.subject("src/violated.py"), verdict="violated").entry("src/violated.py", "local:no")
    repo.reviewed("src/stale.py", claim_id="old").write("src/stale.py", "later\n")
    document = fitting(repo.snob(command, "--format", "json"), 1 if command == "check" else 0)
    rows = {(row["path"], row["rule"]): row for row in document["obligations"]}
    expected = {
        ("src/missing.py", "p/r"): "missing",
        ("src/missing.py", "q/r"): "missing",
        ("src/unknown.py", "p/r"): "missing",
        ("src/violated.py", "p/r"): "violated",
        ("src/stale.py", "p/r"): "stale",
    } | ({("src/satisfied.py", "p/r"): "satisfied"} if command == "check" else {})
    assert expected == {key: row["status"] for key, row in rows.items()}
    assert ["lib/**"] == rows["src/missing.py", "p/r"]["subject"]["context"]["patterns"]
    assert "context" not in rows["src/missing.py", "q/r"]["subject"]
    assert not rows["src/unknown.py", "p/r"]["claims"][0]["found"]


REASONS: dict[str, tuple[str, str | None, Callable[[Repo, dict[str, Any]], object]]] = {
    "content": ("content_hash", None, lambda repo, subject: repo.write("src/a.py", "other\n")),
    "line ends": ("content_hash", "line-ends", lambda repo, subject: repo.write("src/a.py", "a\r\n")),
    "kind": ("content_hash", None, lambda repo, subject: repo.remove("src/a.py").symlink("src/a.py", "b")),
    "rule": ("rule_fingerprint", None, lambda repo, subject: repo.policy(level="warning", extra='context = ["lib/*"]')),
    "context file": ("context.digest", None, lambda repo, subject: repo.write("lib/a", "other\n")),
    "context added": (
        "context.patterns",
        None,
        lambda repo, subject: repo.entry("src/a.py", "local:c", extra='context = ["x"]'),
    ),
    "context gone": ("context", None, lambda repo, subject: repo.policy()),
    "context not recorded": ("context", None, lambda repo, subject: subject.pop("context")),
    "another path": ("path", None, lambda repo, subject: subject.update(path="src/b.py")),
    "another rule": ("rule", None, lambda repo, subject: subject.update(rule="p/q")),
    "a field too many": ("deleted", None, lambda repo, subject: subject.update(deleted=True)),
    "a field too few": ("content_hash", None, lambda repo, subject: subject.pop("content_hash")),
    "another type": ("content_hash", None, lambda repo, subject: subject.update(content_hash=[1, True, 0.5])),
    "no subject": ("subject", None, lambda repo, subject: subject.clear()),
}
"""How a claim comes to be stale: the field and the hint that the reason gives, and what is done to the project."""


@pytest.mark.req("F10", "F11", "F12", "F13")
@pytest.mark.parametrize("name", REASONS)
def test_every_reason_of_a_stale_row_fits(repo: Repo, name: str) -> None:
    field, hint, change = REASONS[name]
    repo.write("src/a.py", "a\n").write("lib/a", "a\n").policy(extra='context = ["lib/*"]')
    subject = repo.subject("src/a.py")
    repo.entry("src/a.py", "local:c")
    change(repo, subject)
    repo.claim("c", subject or None)
    document = fitting(repo.snob("pending", "--format", "json"), 0)
    (row,) = document["obligations"]
    assert "stale" == row["status"]
    reasons = {reason["field"]: reason.get("hint") for reason in row["claims"][0]["reasons"]}
    assert hint == reasons[field]


@pytest.mark.parametrize("command", ["check", "pending"])
def test_notices_fit(repo: Repo, command: str) -> None:
    repo.write("src/a.py", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n").write("src/b.py")
    repo.policy(extra='context = ["nowhere/**"]').write("snob/policies/notes.txt").write("snob/claims/x.txt")
    repo.write("snob.toml", '[providers.ci]\ncommand = ["x"]\n').write(".gitignore", "snob/reviews\n")
    repo.entry("src/a.py", "local:none", "p/other")
    document = fitting(repo.snob(command, "--format", "json"), 1 if command == "check" else 0)
    expected = {"pattern-matches-nothing", "stray-file", "unused-provider", "record-ignored", "entry-without-rule"}
    assert expected <= {notice["code"] for notice in document["notices"]}


def test_a_run_with_nothing_to_judge_fits(repo: Repo) -> None:
    document = fitting(repo.write("docs/a.md").policy().snob("check", "--format", "json"), 0)
    assert [] == document["obligations"]
    assert "nothing-judged" in {notice["code"] for notice in document["notices"]}


@pytest.mark.parametrize(
    ("path", "text", "code"),
    [
        ("snob.toml", "x = 1\n", "unknown-key"),
        ("snob.toml", "x = \n", "undecodable"),
        ("snob.toml", "[providers.ci]\n", "missing-key"),
        ("snob/policies/p.toml", "", "missing-key"),
        ("snob/policies/P.toml", "", "misplaced"),
        ("snob/reviews/src/gone.py.review.toml", "", "no-source"),
        ("snob/reviews/src/a.py.review.toml", "deleted = true\n", "source-exists"),
        ("snob/reviews/src/a.py.review.toml", '[claims]\n"p/r" = "ci:1"\n', "no-provider"),
        ("snob/claims/c.toml", 'verdict = "maybe"\n', "invalid-value"),
    ],
)
def test_what_a_person_wrote_wrong_is_told_in_a_document_that_fits(repo: Repo, path: str, text: str, code: str) -> None:
    repo.write("src/a.py").policy()
    if "claims/" in path:
        repo.entry("src/a.py", "local:c")
    document = fitting(repo.write(path, text).snob("check", "--format", "json"), 2)
    assert code in {error["code"] for error in document["errors"]}
    assert "obligations" not in document


@pytest.mark.parametrize(
    "argv",
    [("check", "nowhere"), ("check", "--bogus"), ("bogus",), ("explain", "nowhere"), ("check", ""), ("init",)],
    ids=" ".join,
)
def test_a_command_line_that_makes_no_sense_is_told_in_a_document_that_fits(repo: Repo, argv: tuple[str, ...]) -> None:
    fitting(repo.policy().snob(*argv, "--format", "json"), 2)


def test_a_project_without_policies_is_told_in_a_document_that_fits(repo: Repo) -> None:
    assert ["no-policy"] == [error["code"] for error in fitting(repo.snob("check", "--format", "json"), 2)["errors"]]


def test_a_provider_that_fails_is_told_in_a_document_that_fits(repo: Repo) -> None:
    repo.write("src/a.py").policy().entry("src/a.py", "ci:1").write(
        "snob.toml", '[providers.ci]\ncommand = ["false"]\n'
    )
    assert ["provider"] == [error["code"] for error in fitting(repo.snob("check", "--format", "json"), 2)["errors"]]


def test_what_explain_tells_fits(repo: Repo) -> None:
    repo.write("src/a.py").write("src/gen.py").write("lib/a").policy(
        extra='context = ["lib/*"]\nexclude = ["**/gen.py"]'
    )
    for subject in ("p/r", "src/a.py", "src/gen.py", "lib/a", "src", "snob/policies/p.toml"):
        fitting(repo.snob("explain", subject, "--format", "json"), 0, EXPLAIN)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda report: report.update(extra=1),
        lambda report: report.pop("summary"),
        lambda report: report.update(schema_version=2),
        lambda report: report["obligations"][0].update(status="fine"),
        lambda report: report["obligations"][0]["subject"].update(content_hash="blake3:0"),
        lambda report: report["obligations"][0]["subject"].update(deleted=False),
        lambda report: report["notices"].append({"code": "unheard-of", "message": "m"}),
        lambda report: report.update(errors=[{"code": "usage", "message": "m"}]),
    ],
)
def test_the_schema_refuses_what_is_not_of_the_format(repo: Repo, spoil: Callable[[Any], object]) -> None:
    report = fitting(repo.write("src/a.py").policy().snob("check", "--format", "json"), 1)
    spoiled = copy.deepcopy(report)
    spoil(spoiled)
    assert [] != faults(spoiled)
