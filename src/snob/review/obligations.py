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
    numbers: dict[str, int] = {}
    for rule in rules:
        for pattern in (*(p for patterns in rule.scope.matches for p in patterns), *rule.scope.exclude):
            numbers.setdefault(pattern, len(numbers))

    def mask(patterns: Sequence[str]) -> int:
        bits = 0
        for pattern in patterns:
            bits |= 1 << numbers[pattern]
        return bits

    scopes = [
        (index, tuple(mask(patterns) for patterns in rule.scope.matches), mask(rule.scope.exclude))
        for index, rule in enumerate(rules)
    ]
    known: dict[int, tuple[int, ...]] = {}
    shared: dict[tuple[int, ...], tuple[int, ...]] = {}
    seen = 0
    rules_of = []
    for accepted in GlobSet(numbers).accepted_all(paths):
        found = known.get(accepted)
        if found is None:
            seen |= accepted
            applying = tuple(
                index
                for index, matches, exclude in scopes
                if not accepted & exclude and all(accepted & match for match in matches)
            )
            found = known[accepted] = shared.setdefault(applying, applying)
        rules_of.append(found)
    matching = {pattern for rule in rules for patterns in rule.scope.matches for pattern in patterns}
    idle = tuple(sorted(pattern for pattern in matching if not seen >> numbers[pattern] & 1))
    return Expansion(rules_of, idle)
