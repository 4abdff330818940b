"""The one decoder of a claim, whichever provider gave it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from snob.review.terms import Claim, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

FIELDS: Final = ("verdict", "reviewer", "reviewed_at", "note", "subject", "seen")
"""What a claim may hold; the fields of `subject` are freshness's to judge, one reason each."""
_VERDICTS: Final = 'write verdict = "satisfied" or verdict = "violated"'


class Fault(NamedTuple):
    """One thing that is wrong with a claim, wherever it came from."""

    code: str
    key: str
    message: str
    hint: str | None = None


def decode_claim(values: Mapping[str, Any]) -> tuple[Claim | None, list[Fault]]:
    """The claim, and what is wrong with it; the claim is None where anything is."""
    faults = [_unknown(name) for name in values if name not in FIELDS]
    verdict = values.get("verdict")
    if verdict is None:
        faults.append(Fault("missing-key", "verdict", "`verdict` is missing", _VERDICTS))
    elif not isinstance(verdict, str):
        faults.append(Fault("wrong-type", "verdict", "`verdict` must be a string", _VERDICTS))
    elif verdict not in [known.value for known in Verdict]:
        faults.append(Fault("invalid-value", "verdict", f"`verdict` {verdict!r} is no verdict", _VERDICTS))
    faults += [
        Fault("wrong-type", name, f"`{name}` must be a string")
        for name in ("reviewer", "note")
        if not isinstance(values.get(name, ""), str)
    ]
    reviewed_at = values.get("reviewed_at")
    if isinstance(reviewed_at, datetime):
        if reviewed_at.tzinfo is None:
            message = "`reviewed_at` must say its offset, such as `Z`"
            faults.append(Fault("invalid-value", "reviewed_at", message))
        reviewed_at = reviewed_at.isoformat().replace("+00:00", "Z")
    elif reviewed_at is not None and not isinstance(reviewed_at, str):
        faults.append(Fault("wrong-type", "reviewed_at", "`reviewed_at` must be a date and time"))
    if not isinstance(values.get("seen", {}), dict):
        faults.append(Fault("wrong-type", "seen", "`seen` must be a table"))
    if faults:
        return None, faults
    return Claim(Verdict(verdict), values.get("subject"), values.get("reviewer"), reviewed_at, values.get("note")), []


def _unknown(name: str) -> Fault:
    import difflib  # noqa: PLC0415 - only a faulty claim pays for it

    near = difflib.get_close_matches(name, FIELDS, n=1)
    known = ", ".join(f"`{field}`" for field in FIELDS)
    hint = f"did you mean `{near[0]}`?" if near else f"known here: {known}"
    return Fault("unknown-key", name, f"`{name}` is no key of a claim", hint)
