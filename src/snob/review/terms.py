"""The nouns of the review half: frozen values with no reading or writing in them."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Level(Enum):
    """What an unmet rule does to a check."""

    ERROR = "error"
    """It fails the check."""
    WARNING = "warning"
    """It is reported, and fails only where `--fail-on warning` asks for it."""


class Standing(Enum):
    """Where an obligation stands; the first that applies."""

    SATISFIED = "satisfied"
    VIOLATED = "violated"
    EXEMPT = "exempt"
    STALE = "stale"
    MISSING = "missing"

    # Enum's own hash is a call into Python, and a report looks a standing up for each of its rows.
    __hash__ = object.__hash__


class Verdict(Enum):
    """What a claim says of its subject."""

    SATISFIED = "satisfied"
    VIOLATED = "violated"


class Rule(NamedTuple):
    """One requirement of a policy."""

    id: str
    """`POLICY/RULE`, such as `routes/no-privilege-escalation`."""
    level: Level
    description: str
    review: str
    """The guidance: how to look, and what would be a violation."""
    context: tuple[str, ...]
    """Patterns of the files that a review looks at beside the file: the policy's and the rule's, in byte order."""
    fingerprint: str
    """The digest of the rule's definition (`F3`)."""
    scope: Scope
    """The files that the rule applies to."""
    path: str
    """The policy file."""


class Scope(NamedTuple):
    """Which files a rule applies to: those that match each list of `matches` and nothing of `exclude`."""

    matches: tuple[tuple[str, ...], ...]
    exclude: tuple[str, ...]


class ReviewFile(NamedTuple):
    """What a review file says of its source file."""

    path: str
    """The review file."""
    source: str
    """The file that it is about."""
    context: tuple[str, ...]
    """Patterns of further context for every rule on the source."""
    claims: Mapping[str, tuple[ClaimRef, ...]]
    """The claim references of each rule id."""
    deleted: bool
    """Whether it is marked as the record of a deleted file (`F75`)."""


class ClaimRef(NamedTuple):
    """A claim reference, `PROVIDER:ID`."""

    provider: str
    id: str

    def __str__(self) -> str:
        """As a review file writes it."""
        return f"{self.provider}:{self.id}"


class Context(NamedTuple):
    """The context of a subject (`F20`)."""

    patterns: tuple[str, ...]
    """In byte order, each once."""
    digest: str
    """Over the (path, content hash) pairs of the candidates that they match (`F22`)."""


class Subject(NamedTuple):
    """Exactly what a review is about (`F20`)."""

    path: str
    content_hash: str
    rule: str
    rule_fingerprint: str
    context: Context | None
    deleted: bool = False
    """Whether it is the deletion of the file that is reviewed (`F23`)."""


class Claim(NamedTuple):
    """A recorded review, as its provider gave it."""

    verdict: Verdict
    subject: object
    """What was recorded, of whatever shape; None where nothing was. Only freshness reads it, field by field."""
    reviewer: str | None
    reviewed_at: str | None
    note: str | None


class Difference(NamedTuple):
    """One way in which a recorded subject is not the expected one (`F10`, `F13`)."""

    field: str
    """The dotted name of a subject's field; `context` where one side has none, `subject` where the claim has none."""
    recorded: object
    expected: object
    hint: str | None = None


class Reference(NamedTuple):
    """What became of one claim reference of an obligation."""

    ref: ClaimRef
    claim: Claim | None
    """None where its provider does not know the id."""
    differences: tuple[Difference, ...]
    """Empty where the claim is current."""


class Row(NamedTuple):
    """One obligation, judged."""

    rule: Rule
    subject: Subject
    standing: Standing
    references: tuple[Reference, ...]


class Notice(NamedTuple):
    """Something that fails nothing by itself and must not stay silent; `code` is one of `NOTICES`."""

    code: str
    message: str
    path: str | None = None


def counted(number: int, noun: str) -> str:
    """A number and its noun, such as `1 file` and `1,000 files`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


NOTICES = {
    "pattern-matches-nothing": "a `match` or `context` pattern matches no candidate",
    "ignore-leaves-nothing": "`ignore` leaves no candidate",
    "entry-without-rule": "a review file has an entry for a rule that does not match its source",
    "unused-provider": "a provider is configured and no row judged refers to it",
    "unknown-provider": "an entry that is not judged here names a provider that is not configured",
    "record-ignored": "git ignores a policy, review or claim file, so others will not have it",
    "stray-file": "a file with another suffix lies below the policies, reviews or claims folder",
    "odd-file": "a file that no rule needs has a name that is not UTF-8",
    "nested-repository": "an untracked repository lies inside the project; its files are no candidates",
    "sparse-file": "a tracked file is left out of the work tree by a sparse checkout, and is not judged",
    "claims-disagree": "current claims of one obligation say both satisfied and violated",
    "lfs-pointer": "a file that is judged is a Git LFS pointer, not the content that it stands for",
    "context-untracked": "an untracked file is part of a context that a claim covers",
    "nothing-owed": "a PATH was given that no rule matches",
    "nothing-judged": "no policy matches any candidate",
}
"""The closed, published list of notice codes and what each means."""
