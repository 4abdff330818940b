"""
Whether a recorded subject is the expected one: equality of every field, both ways (`F1`).

Pure: values in, values out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from snob.review.subjects import encode_subject
from snob.review.terms import Difference

if TYPE_CHECKING:
    from collections.abc import Mapping

    from snob.review.terms import Subject


def differences(expected: Subject, recorded: object) -> tuple[Difference, ...]:
    """
    One difference per field that is missing, extra, of another type or unequal; none where the claim is current (`F13`).

    A claim that recorded no subject differs in `subject` (`F12`).
    """
    wanted = encode_subject(expected)
    if not isinstance(recorded, dict):
        return (Difference("subject", recorded, wanted),)
    if _same(recorded, wanted):
        return ()
    context, recorded_context = wanted.get("context"), recorded.get("context")
    if isinstance(context, dict) and isinstance(recorded_context, dict):
        return (
            *_field_by_field("", _without_context(recorded), _without_context(wanted)),
            *_field_by_field("context.", recorded_context, context),
        )
    return tuple(_field_by_field("", recorded, wanted))


def _without_context(subject: Mapping[str, Any]) -> dict[str, Any]:
    return {field: value for field, value in subject.items() if field != "context"}


def _field_by_field(prefix: str, recorded: Mapping[str, Any], expected: Mapping[str, Any]) -> list[Difference]:
    # EDGE CASE: JSON has a null, and a field that is there with no value is not a field that is absent.
    fields = [*expected, *(field for field in recorded if field not in expected)]
    return [
        Difference(prefix + field, recorded.get(field), expected.get(field))
        for field in fields
        if field not in recorded or field not in expected or not _same(recorded[field], expected[field])
    ]


def _same(one: object, other: object) -> bool:
    """Equality that takes a type for a part of the value: to Python `1` and `True` are equal, to a reader they are not."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(value, other[field]) for field, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return one == other
