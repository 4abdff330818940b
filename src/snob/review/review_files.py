"""Review files: which claims a file relies on, what further context it declares, and the marker of a deleted file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from snob.errors import FileError, InputError, Problem
from snob.ground.documents import RECORD_CAP
from snob.ground.files import Kind
from snob.ground.paths import shown
from snob.ground.tables import Source
from snob.review.policies import join_patterns
from snob.review.settings import LOCAL
from snob.review.terms import ClaimRef, Notice, ReviewFile

if TYPE_CHECKING:
    from snob.errors import Problems
    from snob.ground.snapshots import Snapshot
    from snob.ground.tables import Table

SUFFIX: Final = ".review.toml"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_LOCAL_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*\Z")


class ReviewFiles(NamedTuple):
    """The review files by source path."""

    by_source: dict[str, ReviewFile]
    notices: tuple[Notice, ...]

    def judging(self, source: str) -> ReviewFile | None:
        """The review file that an obligation on `source` rests on; the record of a deletion is none (`F75`)."""
        found = self.by_source.get(source)
        return None if found is None or found.deleted else found


def read_review_files(snapshot: Snapshot, directory: str, problems: Problems) -> ReviewFiles:
    """
    Every review file below `directory`; each fault goes to `problems`.

    Raises `FileError` where the folder cannot be listed.
    """
    found = {}
    notices = []
    for path, kind in snapshot.below(directory):
        if kind is Kind.SYMLINK:
            problems.add(
                Problem(
                    "not-regular",
                    "is a link: review files are files and folders themselves",
                    shown(path),
                    hint="put what it points to in its place",
                )
            )
            continue
        if not path.endswith(SUFFIX) or path.endswith("/" + SUFFIX):
            notices.append(Notice("stray-file", f"no review file: its name is not `NAME{SUFFIX}`", shown(path)))
            continue
        if kind is not Kind.REGULAR:
            message = f"a review file is a regular file, and this is a {kind.value}"
            problems.add(Problem("not-regular", message, shown(path), hint="remove it, or put a file in its place"))
            continue
        source = path[len(directory) + 1 : -len(SUFFIX)]
        try:
            table = Source(path, snapshot.read(path, RECORD_CAP), problems).table()
        except (InputError, FileError) as error:
            problems.extend(error.problems)
            continue
        found[source] = _read_review_file(table, path, source)
    return ReviewFiles(found, tuple(notices))


def _read_review_file(table: Table, path: str, source: str) -> ReviewFile:
    context = join_patterns(table.globs("context") or ())
    deleted = table.flag("deleted")
    claims = {}
    entries = table.table("claims")
    if entries is not None:
        for rule_id in entries:
            claims[rule_id] = _read_references(entries, rule_id)
    table.finish()
    return ReviewFile(path, source, context, claims, deleted)


def _read_references(entries: Table, rule_id: str) -> tuple[ClaimRef, ...]:
    value = entries.raw(rule_id)
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        entries.complain("wrong-type", "must be a claim reference `PROVIDER:ID`, or a list of them", rule_id)
        return ()
    references = []
    for text in texts:
        reference = parse_reference(text)
        if reference is None:
            entries.complain(
                "invalid-value", f"{text!r} is no claim reference `PROVIDER:ID`", rule_id, hint=_how_to_refer(text)
            )
        else:
            references.append(reference)
    return tuple(dict.fromkeys(references))


def parse_reference(text: str) -> ClaimRef | None:
    """The claim reference that `text` writes; None where it is none (T49)."""
    provider, colon, claim_id = text.partition(":")
    if not colon or not provider or not claim_id or _CONTROL.search(claim_id):
        return None
    if provider == LOCAL and not _LOCAL_ID.match(claim_id):
        return None
    return ClaimRef(provider, claim_id)


def _how_to_refer(text: str) -> str:
    if text.startswith(LOCAL + ":"):
        return (
            "an id of `local` is a path below the claims folder without `.toml`, of letters, digits, `.`, `_` and `-`"
        )
    return "write `local:ID` for a claim in the claims folder, or name a provider of snob.toml"


def check_sources(
    review_files: ReviewFiles,
    snapshot: Snapshot,
    sparse: frozenset[str],
    submodules: frozenset[str],
    problems: Problems,
) -> None:
    """
    Complain of a review file whose source is gone and that has no marker, and of a marker whose source is there (`F75`, `F76`, `F77`).

    A source is present where anything but a folder stands at its path, ignored or not; where it is a submodule; or where a
    sparse checkout left it out. Raises `FileError` where that cannot be told.
    """
    for source, review_file in sorted(review_files.by_source.items()):
        kind = snapshot.kind(source)
        present = source in sparse or (kind is not None and (kind is not Kind.DIRECTORY or source in submodules))
        if review_file.deleted and present:
            message = f"is marked `deleted = true`, and its source {shown(source)} exists"
            problems.add(
                Problem("source-exists", message, shown(review_file.path), key="deleted", hint="remove the marker")
            )
        elif not review_file.deleted and not present:
            message = f"has no source file {shown(source)}"
            hint = "if the file was deleted, mark this as its record with `deleted = true`, or remove it; else correct its path"
            problems.add(Problem("no-source", message, shown(review_file.path), hint=hint))
