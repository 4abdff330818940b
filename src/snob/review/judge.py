"""
Where an obligation stands, from its expected subject and the claims that it refers to.

Pure: values in, values out. The first that applies: satisfied or violated by a current claim, stale by one that is not
current, missing where there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from snob.review.freshness import differences
from snob.review.terms import Reference, Row, Standing, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from snob.review.terms import Claim, ClaimRef, Rule, Subject


def judge(rule: Rule, subject: Subject, refs: Sequence[ClaimRef], claims: Mapping[ClaimRef, Claim]) -> Row:
    """The row of one obligation; `claims` holds every claim that is known."""
    if not refs:
        return Row(rule, subject, Standing.MISSING, ())
    references = tuple(_weigh(subject, ref, claims.get(ref)) for ref in refs)
    return Row(rule, subject, _standing(references), references)


def disagree(row: Row) -> bool:
    """Whether current claims of one obligation say both satisfied and violated."""
    if len(row.references) < 2:
        return False
    return len({ref.claim.verdict for ref in row.references if ref.claim is not None and not ref.differences}) > 1


def _weigh(subject: Subject, ref: ClaimRef, claim: Claim | None) -> Reference:
    if claim is None:
        return Reference(ref, None, ())
    return Reference(ref, claim, differences(subject, claim.subject))


def _standing(references: Sequence[Reference]) -> Standing:
    known = [reference for reference in references if reference.claim is not None]
    current = {reference.claim.verdict for reference in known if reference.claim and not reference.differences}
    if Verdict.SATISFIED in current:
        return Standing.SATISFIED
    if Verdict.VIOLATED in current:
        return Standing.VIOLATED
    return Standing.STALE if known else Standing.MISSING
