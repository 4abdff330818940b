"""What a run has to tell beside its verdict: it fails nothing by itself, and must not stay silent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snob.errors import FileError
from snob.ground.documents import RECORD_CAP
from snob.ground.hashing import ABSENT
from snob.ground.paths import is_utf8, on_the_way, shown
from snob.review.judge import disagree
from snob.review.settings import LOCAL
from snob.review.terms import Notice, Standing, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from snob.ground.snapshots import WorkTree
    from snob.review.basis import Basis
    from snob.review.contexts import Contexts
    from snob.review.terms import ClaimRef, Row

_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
_LFS_CAP = 1024


def candidate_notices(basis: Basis, hashes: Sequence[str | None], tree: WorkTree) -> Iterable[Notice]:
    """What is odd about candidates: left out by a sparse checkout, named badly, or standing for other content."""
    paths = basis.candidates.paths
    left_out = [path for index, path in enumerate(paths) if hashes[index] == ABSENT and path in basis.candidates.sparse]
    if left_out:
        message = f"a sparse checkout leaves out {counted(len(left_out), 'tracked file')}: not judged"
        yield Notice("sparse-file", message, shown(left_out[0]))
    for index, path in enumerate(paths):
        if hashes[index] is None and not is_utf8(path):
            yield Notice("odd-file", "its name is not UTF-8, and no rule needs it", shown(path))
    yield from _lfs_notices(basis, hashes, tree)


def _lfs_notices(basis: Basis, hashes: Sequence[str | None], tree: WorkTree) -> Iterable[Notice]:
    paths = basis.candidates.paths
    attributes = [path for path in paths if path == ".gitattributes" or path.endswith("/.gitattributes")]
    if not any(b"filter=lfs" in _read_some(path, tree, RECORD_CAP) for path in attributes):
        return
    for index, path in enumerate(paths):
        if hashes[index] and _read_some(path, tree, _LFS_CAP).startswith(_LFS_POINTER):
            yield Notice("lfs-pointer", "is a Git LFS pointer: the content it stands for is not judged", shown(path))


def _read_some(path: str, tree: WorkTree, cap: int) -> bytes:
    try:
        return tree.read(path, cap)
    except FileError:
        # Larger than what is looked for, or no regular file.
        return b""


def claim_notices(rows: Iterable[Row], contexts: Contexts, basis: Basis) -> Iterable[Notice]:
    """What is odd about the claims of judged rows."""
    untracked = {index for index, path in enumerate(basis.candidates.paths) if path in basis.candidates.untracked}
    told: set[tuple[str, ...]] = set()
    for row in rows:
        if disagree(row):
            message = f"current claims for {row.rule.id} say both satisfied and violated; satisfied counts"
            yield Notice("claims-disagree", message, row.subject.path)
        context = row.subject.context
        if not untracked or context is None or row.standing is not Standing.SATISFIED or context.patterns in told:
            continue
        told.add(context.patterns)
        members = {index for pattern in context.patterns for index in contexts.members(pattern)} & untracked
        if members:
            first = shown(basis.candidates.paths[min(members)])
            message = f"a claim covers {counted(len(members), 'untracked context file')}, which nobody else has"
            yield Notice("context-untracked", message, first)


def record_notices(basis: Basis, tree: WorkTree, wanted: Iterable[ClaimRef]) -> Iterable[Notice]:
    """Records that git ignores, so that nobody else will have them."""
    if not basis.candidates.in_git:
        return
    listed = frozenset(tree.listing().paths)
    records = [
        *{rule.path for rule in basis.policies.rules},
        *(review_file.path for review_file in basis.review_files.by_source.values()),
        *(f"{basis.settings.claims}/{ref.id}.toml" for ref in wanted if ref.provider == LOCAL),
    ]
    for path in sorted(records):
        if path not in listed and tree.kind(path) is not None:
            yield Notice("record-ignored", "git ignores this record, so nobody else will have it", shown(path))


def provider_notices(basis: Basis, wanted: Iterable[ClaimRef]) -> Iterable[Notice]:
    """Providers that no judged row refers to."""
    used = {reference.provider for reference in wanted}
    for name in basis.settings.providers:
        if name not in used:
            yield Notice("unused-provider", f"no row judged refers to the provider `{name}`", "snob.toml")


def path_notices(filters: Sequence[str], rows: Sequence[Row]) -> Iterable[Notice]:
    """Paths of the command line on or below which nothing is owed."""
    owing = {above for row in rows for above in on_the_way(row.subject.path)} if filters else set()
    for kept in filters:
        if kept not in owing and (kept or not rows):
            yield Notice("nothing-owed", "no rule matches anything here", shown(kept or "."))
