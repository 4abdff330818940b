"""A judgement told: as JSON, schema version 1, and as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from snob.ground.documents import encode_json, encode_json_lines, toml_value
from snob.ground.paths import shown, told
from snob.ground.reports import Line, envelope, line
from snob.review.check import fails
from snob.review.settings import LOCAL
from snob.review.subjects import encode_subject
from snob.review.terms import Level, Standing, Verdict, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from snob.review.check import Judgement, Request, Summary
    from snob.review.terms import Difference, Notice, Reference, Row

_DEPTH = 3
"""Levels of a nested value that text shows."""
_SHORT = 12
"""Hexadecimal digits of a digest that text shows."""
_MARK = {
    Standing.SATISFIED: "good",
    Standing.EXEMPT: "dim",
    Standing.STALE: "bad",
    Standing.MISSING: "bad",
    Standing.VIOLATED: "bad",
}
_WORD = {standing: f"{standing.value:<10}" for standing in Standing}
_FIELD_WORDS = {
    "content_hash": "the file's content",
    "rule_fingerprint": "the rule's definition",
    "context": "the declared context",
    "context.patterns": "the context patterns",
    "context.digest": "the context files",
    "path": "the claim is about another file",
    "rule": "the claim is about another rule",
    "deleted": "one is about the file's deletion, the other about its content",
    "subject": "the claim records no subject",
}


def check_json(request: Request, judgement: Judgement) -> bytes:
    """The report of `check`: every obligation."""
    return _json("check", request, judgement, judgement.rows, guidance=False)


def pending_json(request: Request, judgement: Judgement) -> bytes:
    """The report of `pending`: every obligation that is not satisfied, with its rule's words (`F9`)."""
    owed = [row for row in judgement.rows if row.standing is not Standing.SATISFIED]
    return _json("pending", request, judgement, owed, guidance=True)


def _json(command: str, request: Request, judgement: Judgement, rows: Iterable[Row], *, guidance: bool) -> bytes:
    """The document with one obligation a line, encoded piece by piece, because there may be hundreds of thousands."""
    head = envelope(command) | {
        "mode": {
            "strict": False,
            "since": None,
            "trusted_rev": None,
            "paths": [told(path or ".") for path in request.paths],
        }
    }
    tail = {
        "notices": [_notice(notice) for notice in judgement.notices],
        "summary": judgement.summary._asdict(),
    }
    lines = encode_json_lines(_obligation(row, guidance=guidance) for row in rows)
    opening = encode_json(head).rstrip()[:-1].rstrip() + b',\n "obligations": ['
    body = b"\n  " + b",\n  ".join(lines) + b"\n " if lines else b""
    return opening + body + b"],\n" + encode_json(tail)[2:]


def _obligation(row: Row, *, guidance: bool) -> dict[str, Any]:
    written: dict[str, Any] = {
        "path": row.subject.path,
        "rule": row.rule.id,
        "level": row.rule.level.value,
        "status": row.standing.value,
        "subject": encode_subject(row.subject),
    }
    if guidance:
        written["description"] = row.rule.description
        written["review"] = row.rule.review
    written["claims"] = [_reference(reference) for reference in row.references]
    return written


def _reference(reference: Reference) -> dict[str, Any]:
    written: dict[str, Any] = {"ref": str(reference.ref), "found": reference.claim is not None}
    if reference.claim is not None:
        written["verdict"] = reference.claim.verdict.value
        if reference.claim.reviewer is not None:
            written["reviewer"] = reference.claim.reviewer
        if reference.claim.reviewed_at is not None:
            written["reviewed_at"] = reference.claim.reviewed_at
    written["reasons"] = [_reason(difference) for difference in reference.differences]
    return written


def _reason(difference: Difference) -> dict[str, Any]:
    written = {"field": difference.field, "recorded": difference.recorded, "expected": difference.expected}
    return written if difference.hint is None else written | {"hint": difference.hint}


def _notice(notice: Notice) -> dict[str, Any]:
    return {name: value for name, value in notice._asdict().items() if value is not None}


def check_text(request: Request, judgement: Judgement, *, everything: bool) -> Iterator[Line]:
    """The report of `check` for people: what fails or warns, with reasons; all rows where `everything` is asked for."""
    for row in judgement.rows:
        if everything or row.standing not in {Standing.SATISFIED, Standing.EXEMPT}:
            yield from _row_lines(row, request)
    yield from _notice_lines(judgement.notices)
    yield _summary_line(judgement.summary)
    if judgement.summary.failing:
        yield line("snob pending PATH shows what each of them asks, and what to record.", "dim")


def pending_text(request: Request, judgement: Judgement) -> Iterator[Line]:
    """The work list for people: errors, then warnings, each with its rule's words and the subject to record (`F9`)."""
    owed = [row for row in judgement.rows if row.standing not in {Standing.SATISFIED, Standing.EXEMPT}]
    for level in Level:
        for row in owed:
            if row.rule.level is level:
                yield from _row_lines(row, request)
                yield from _guidance_lines(row)
                yield line()
    yield from _notice_lines(judgement.notices)
    yield _summary_line(judgement.summary)


def _row_lines(row: Row, request: Request) -> Iterator[Line]:
    style = _MARK[row.standing]
    if style == "bad" and not fails(row, request.fail_on):
        style = "warn"
    tail = f"  {row.rule.id}"
    if row.rule.level is Level.WARNING:
        tail += "  (warning)"
    if row.standing is Standing.MISSING and not row.references:
        tail += ": no review is recorded"
    yield Line(((_WORD[row.standing], style), (shown(row.subject.path), "bold"), (tail, "")))
    for reference in row.references:
        yield from _reference_lines(reference, request)


def _reference_lines(reference: Reference, request: Request) -> Iterator[Line]:
    name = shown(str(reference.ref))
    if reference.claim is None:
        if reference.ref.provider == LOCAL:
            why = "there is no such claim file"
        elif request.run_commands:
            why = "its provider knows no such claim"
        else:
            why = "its provider was not asked (--no-providers)"
        yield line(f"{name}: {why}", indent=10)
        return
    by = f" by {shown(reference.claim.reviewer)}" if reference.claim.reviewer else ""
    at = f" on {shown(reference.claim.reviewed_at)}" if reference.claim.reviewed_at else ""
    yield line(f"{name}: {reference.claim.verdict.value}{by}{at}", indent=10)
    if reference.claim.note and reference.claim.verdict is Verdict.VIOLATED:
        yield line(f"note: {shown(reference.claim.note)}", indent=12)
    for difference in reference.differences:
        yield from _difference_lines(difference)


def _difference_lines(difference: Difference) -> Iterator[Line]:
    words = _FIELD_WORDS.get(difference.field, f"the field {shown(difference.field)}")
    if difference.field == "subject":
        yield line(words, indent=12)
        return
    changed = "" if difference.field in {"path", "rule", "deleted"} else " changed"
    recorded, expected = _brief(difference.recorded), _brief(difference.expected)
    yield line(f"{words}{changed}: recorded {recorded}, expected {expected}", indent=12)
    if difference.hint == "line-ends":
        yield line("only the line ends differ; pin them with `text eol=lf` in .gitattributes", indent=14)


def _brief(value: object, depth: int = 0) -> str:
    """A value for one line of text: digests are shortened, everything else is shown as it is, up to a length and depth."""
    if depth > _DEPTH:
        return "…"
    if value is None:
        return "nothing"
    if isinstance(value, str):
        algorithm, colon, digits = value.partition(":")
        if colon and algorithm.startswith("blake3") and len(digits) == 64:
            return f"{algorithm}:{shown(digits[:_SHORT])}…"
        return shown(value[:200])
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_brief(item, depth + 1) for item in value[:20]) + "]"
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(f"{shown(str(key))}: {_brief(item, depth + 1)}" for key, item in list(value.items())[:20])
            + "}"
        )
    return shown(str(value)[:200])


def _guidance_lines(row: Row) -> Iterator[Line]:
    yield line(shown(row.rule.description), "bold", indent=10, prose=True)
    for text in row.rule.review.strip().splitlines():
        yield line(shown(text.expandtabs(4)), indent=10, prose=True)
    yield line("the subject, as a claim records it:", "dim", indent=10)
    subject = encode_subject(row.subject)
    context = subject.pop("context", {})
    yield line("[subject]", "dim", indent=12)
    for field, value in subject.items():
        yield line(f"{field} = {toml_value(value)}", "dim", indent=12)
    if context:
        yield line("[subject.context]", "dim", indent=12)
    for field, value in context.items():
        yield line(f"{field} = {toml_value(value)}", "dim", indent=12)


def _notice_lines(notices: Iterable[Notice]) -> Iterator[Line]:
    for notice in notices:
        place = f"{notice.path}: " if notice.path is not None else ""
        yield Line((("notice: ", "warn"), (f"{place}{notice.message} [{notice.code}]", "")))


def _summary_line(summary: Summary) -> Line:
    if not summary.obligations:
        return line("0 obligations: nothing was judged", "warn")
    counts = ", ".join(
        f"{count:,} {name}"
        for name, count in summary._asdict().items()
        if name in {"satisfied", "exempt", "stale", "missing", "violated"} and count
    )
    owed = summary.obligations - summary.satisfied - summary.exempt
    warnings = f", {counted(owed - summary.failing, 'warning')}" if owed > summary.failing else ""
    head = f"{counted(summary.obligations, 'obligation')} on {counted(summary.candidates, 'candidate')}: {counts}"
    verdict = ("pass", "good") if not summary.failing else (f"{summary.failing:,} failing", "bad")
    return Line(((f"{head} — ", "bold"), verdict, (warnings, "warn")))
