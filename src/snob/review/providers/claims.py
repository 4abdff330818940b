"""The one decoder of a claim, whichever provider gave it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from snob.review.terms import Claim, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

FIELDS: Final = ("verdict", "reviewer", "reviewed_at", "note", "subject", "seen")
"""What a claim may hold; the fields of `subject` are freshness's to judge, one reason each."""


def decode_claim(values: Mapping[str, Any]) -> tuple[Claim | None, list[tuple[str, str, str]]]:
    """The claim, and what is wrong with it as (code, key, message); the claim is None where anything is."""
    faults = [
        ("unknown-key", name, f"`{name}` is no key of a claim; known are {', '.join(FIELDS)}")
        for name in values
        if name not in FIELDS
    ]
    verdict = values.get("verdict")
    if verdict is None:
        faults.append(("missing-key", "verdict", "`verdict` is missing"))
    elif verdict not in [known.value for known in Verdict]:
        faults.append(("invalid-value", "verdict", f'`verdict` must be "satisfied" or "violated", not {verdict!r}'))
    faults += [
        ("wrong-type", name, f"`{name}` must be a string")
        for name in ("reviewer", "note")
        if not isinstance(values.get(name, ""), str)
    ]
    reviewed_at = values.get("reviewed_at")
    if isinstance(reviewed_at, datetime):
        if reviewed_at.tzinfo is None:
            faults.append(("invalid-value", "reviewed_at", "`reviewed_at` must say its offset, such as `Z`"))
        reviewed_at = reviewed_at.isoformat().replace("+00:00", "Z")
    elif reviewed_at is not None and not isinstance(reviewed_at, str):
        faults.append(("wrong-type", "reviewed_at", "`reviewed_at` must be a date and time"))
    if not isinstance(values.get("seen", {}), dict):
        faults.append(("wrong-type", "seen", "`seen` must be a table"))
    if faults:
        return None, faults
    return Claim(Verdict(verdict), values.get("subject"), values.get("reviewer"), reviewed_at, values.get("note")), []
