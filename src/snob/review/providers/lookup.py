"""References to claims: each provider is asked once for all that is wanted of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from snob.errors import ProviderError
from snob.review.providers.local import look_up_local
from snob.review.settings import LOCAL
from snob.review.terms import ClaimRef

if TYPE_CHECKING:
    from collections.abc import Iterable

    from snob.errors import Problems
    from snob.ground.snapshots import Snapshot
    from snob.review.settings import Settings
    from snob.review.terms import Claim


class Lookup(NamedTuple):
    """Where claims are looked up."""

    snapshot: Snapshot
    """The tree that holds the local claims."""
    settings: Settings
    folder: str
    """Where commands run."""
    run_commands: bool
    """Whether commands are started at all; without, their claims are unknown."""


def look_up(lookup: Lookup, references: Iterable[ClaimRef], problems: Problems) -> dict[ClaimRef, Claim]:
    """
    The claims that are known; every fault goes to `problems`.

    A provider that is not configured knows nothing: the caller complained of it.
    """
    wanted: dict[str, list[str]] = {}
    for reference in references:
        wanted.setdefault(reference.provider, []).append(reference.id)
    found = {}
    for provider, ids in sorted(wanted.items()):
        claims: dict[str, Claim] = {}
        if provider == LOCAL:
            claims = look_up_local(lookup.snapshot, lookup.settings.claims, ids, problems)
        elif lookup.run_commands and provider in lookup.settings.providers:
            from snob.review.providers.command import ask  # noqa: PLC0415 - only a project with providers pays for it

            try:
                claims = ask(lookup.settings.providers[provider], ids, lookup.folder)
            except ProviderError as error:
                problems.extend(error.problems)
        found.update({ClaimRef(provider, claim_id): claim for claim_id, claim in claims.items()})
    return found
