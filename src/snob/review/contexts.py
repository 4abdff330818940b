"""
Which files a list of context patterns means, and the digest over them (`F22`).

A digest is a function of the set of (path, content hash) pairs alone. The pairs go into 256 buckets by the first byte of
BLAKE3 over the path; the digest is over the bucket digests. So leaving the reviewed file itself out, or adding the few files
of a review file's own patterns, costs the buckets that are touched, and ten thousand files that are each other's
context cost no more than ten thousand buckets.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from snob.ground.digests import EMPTY_BUCKET, bucket_digest, bucket_of, pair_frame, set_digest
from snob.ground.globs import GlobSet, literal_path, literal_prefix
from snob.ground.hashing import ABSENT
from snob.review.terms import Context

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Contexts:
    """The contexts of one tree: members first, and once the members are hashed, digests."""

    def __init__(self, paths: Sequence[str], records: frozenset[int]) -> None:
        """Find context among the sorted candidates `paths`; the indices `records` are no context of anything."""
        self._paths = paths
        self._records = records
        self._members: dict[str, frozenset[int]] = {}
        self._hashes: Sequence[str | None] = ()
        self._sets: dict[tuple[str, ...], tuple[_PairSet, frozenset[int]]] = {}
        self._bases: dict[str, _PairSet] = {}
        self._frames: dict[int, bytes] = {}
        self._buckets: dict[int, int] = {}

    def find(self, patterns: Iterable[str]) -> None:
        """Work out the members of many patterns at once, which is cheaper than one after the other."""
        waiting = []
        for pattern in dict.fromkeys(patterns):
            if pattern in self._members:
                continue
            exact = literal_path(pattern)
            prefix = literal_prefix(pattern) if exact is None else ""
            if exact is not None:
                place = bisect_left(self._paths, exact)
                hit = place < len(self._paths) and self._paths[place] == exact
                self._keep(pattern, (place,) if hit else ())
            elif prefix:
                start = bisect_left(self._paths, prefix)
                end = bisect_left(self._paths, prefix[:-1] + "0")
                accepted = GlobSet((pattern,)).accepted_all(self._paths[start:end])
                self._keep(pattern, (start + place for place, hit in enumerate(accepted) if hit))
            else:
                waiting.append(pattern)
        if waiting:
            self._find_everywhere(waiting)

    def _find_everywhere(self, patterns: Sequence[str]) -> None:
        found: list[list[int]] = [[] for _ in patterns]
        for index, accepted in enumerate(GlobSet(patterns).accepted_all(self._paths)):
            mask = accepted
            while mask:
                lowest = mask & -mask
                found[lowest.bit_length() - 1].append(index)
                mask ^= lowest
        for pattern, members in zip(patterns, found, strict=True):
            self._keep(pattern, members)

    def _keep(self, pattern: str, members: Iterable[int]) -> None:
        self._members[pattern] = frozenset(members) - self._records

    def members(self, pattern: str) -> frozenset[int]:
        """The indices of the candidates that a pattern, which `find` was given, means."""
        return self._members[pattern]

    def hashed(self, hashes: Sequence[str | None]) -> None:
        """Take the content hashes of all members, by index; from here on digests can be asked for."""
        self._hashes = hashes

    def context(self, patterns: tuple[str, ...], without: int | None) -> Context:
        """The context of `patterns`, the file at index `without` left out."""
        found = self._sets.get(patterns)
        if found is None:
            found = self._sets[patterns] = self._split(patterns)
        base, extra = found
        return Context(patterns, base.digest(extra, without))

    def _split(self, patterns: tuple[str, ...]) -> tuple[_PairSet, frozenset[int]]:
        """The set of the largest pattern, shared by every list that holds it, and what the other patterns add."""
        largest = max(patterns, key=lambda pattern: len(self._members[pattern]))
        base = self._bases.get(largest)
        if base is None:
            base = self._bases[largest] = _PairSet(self, self._present(self._members[largest]))
        extra = {index for pattern in patterns if pattern != largest for index in self._members[pattern]}
        return base, self._present(index for index in extra if index not in base.members)

    def _present(self, members: Iterable[int]) -> frozenset[int]:
        return frozenset(index for index in members if self._hashes[index] != ABSENT)

    def frame_of(self, index: int) -> bytes:
        """The framed pair of one member, made once."""
        found = self._frames.get(index)
        if found is None:
            found = self._frames[index] = pair_frame(self._paths[index], self._hashes[index] or ABSENT)
        return found

    def bucket_of(self, index: int) -> int:
        """The bucket of one member, worked out once."""
        found = self._buckets.get(index)
        if found is None:
            found = self._buckets[index] = bucket_of(self._paths[index])
        return found


class _PairSet:
    """A set of pairs in buckets, of which a digest makes anew only those that are touched."""

    def __init__(self, contexts: Contexts, members: frozenset[int]) -> None:
        """Put the pairs of `members` into their buckets."""
        self.members = members
        self._contexts = contexts
        self._buckets: dict[int, list[int]] = {}
        for index in sorted(members):
            self._buckets.setdefault(contexts.bucket_of(index), []).append(index)
        self._digests = [EMPTY_BUCKET] * 256
        for number, indices in self._buckets.items():
            self._digests[number] = bucket_digest(map(contexts.frame_of, indices))
        self._whole = set_digest(self._digests)

    def digest(self, extra: frozenset[int], without: int | None) -> str:
        """The digest of all pairs and those of `extra`, but not that of `without`, which need not be among them."""
        if without is not None and without not in self.members and without not in extra:
            without = None
        if without is None and not extra:
            return self._whole
        touched: dict[int, list[int]] = {}
        for index in extra if without is None else (*extra, without):
            touched.setdefault(self._contexts.bucket_of(index), []).append(index)
        digests = list(self._digests)
        for number, changed in touched.items():
            indices = sorted({*self._buckets.get(number, ()), *changed} - {without})
            digests[number] = bucket_digest(map(self._contexts.frame_of, indices))
        return set_digest(digests)
