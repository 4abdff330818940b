"""The written form of a subject, in reports and in claims: the only codec there is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from snob.review.terms import Subject


def encode_subject(subject: Subject) -> dict[str, Any]:
    """A subject as JSON and TOML write it (`F20`): `context` and `deleted` stand only where they apply."""
    written: dict[str, Any] = {
        "path": subject.path,
        "content_hash": subject.content_hash,
        "rule": subject.rule,
        "rule_fingerprint": subject.rule_fingerprint,
    }
    if subject.context is not None:
        written["context"] = {"patterns": list(subject.context.patterns), "digest": subject.context.digest}
    if subject.deleted:
        written["deleted"] = True
    return written
