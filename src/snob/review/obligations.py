"""Which rules apply to which candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from snob.ground.globs import GlobSet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from snob.review.terms import Rule


class Expansion(NamedTuple):
    """The rules of every candidate."""

    rules_of: list[tuple[int, ...]]
    """For each candidate the indices of the rules that apply to it; equal tuples are one object."""
    idle_patterns: tuple[str, ...]
    """The `match` patterns that match no candidate."""


def expand(rules: Sequence[Rule], paths: Sequence[str]) -> Expansion:
    """
    Match every path against every rule's scope, in one pass over the paths.

    A rule applies where each of its match lists matches and its excludes do not.
    """
    depth = max((len(rule.scope.matches) for rule in rules), default=0)
    numbers: dict[str, int] = {}
    # For each place in a rule's match lists, and last for its excludes: pattern → the set of rules that have it there.
    columns: list[dict[int, int]] = [{} for _ in range(depth + 1)]
    always = [0] * depth
    for index, rule in enumerate(rules):
        for place in range(depth):
            if 0 < len(rule.scope.matches) <= place:
                always[place] |= 1 << index
        for column, patterns in zip(
            columns, (*rule.scope.matches, *[()] * (depth - len(rule.scope.matches)), rule.scope.exclude), strict=True
        ):
            for pattern in patterns:
                number = numbers.setdefault(pattern, len(numbers))
                column[number] = column.get(number, 0) | 1 << index
    known: dict[int, tuple[int, ...]] = {}
    shared: dict[int, tuple[int, ...]] = {}
    seen = 0
    rules_of = []
    for accepted in GlobSet(numbers).accepted_all(paths):
        found = known.get(accepted)
        if found is None:
            seen |= accepted
            applying = _applying(_bits(accepted), columns, always)
            found = shared.get(applying)
            if found is None:
                found = shared[applying] = tuple(_bits(applying))
            known[accepted] = found
        rules_of.append(found)
    matching = {pattern for rule in rules for patterns in rule.scope.matches for pattern in patterns}
    idle = tuple(sorted(pattern for pattern in matching if not seen >> numbers[pattern] & 1))
    return Expansion(rules_of, idle)


def _applying(accepted: Sequence[int], columns: Sequence[dict[int, int]], always: Sequence[int]) -> int:
    """The set of rules, as bits, that apply where just the patterns `accepted` match."""
    excluded = 0
    for number in accepted:
        excluded |= columns[-1].get(number, 0)
    applying = ~excluded
    for column, rest in zip(columns, always, strict=False):
        hit = rest
        for number in accepted:
            hit |= column.get(number, 0)
        applying &= hit
    return applying if always else 0


def _bits(mask: int) -> list[int]:
    """The numbers of the bits that are set, lowest first."""
    found = []
    while mask:
        lowest = mask & -mask
        found.append(lowest.bit_length() - 1)
        mask ^= lowest
    return found
