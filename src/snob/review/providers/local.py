"""Claims that are kept in the repository, one file each (provider `local`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snob.errors import FileError, InputError, Problem
from snob.ground.documents import RECORD_CAP, decode_toml, line_of
from snob.ground.files import Kind
from snob.ground.paths import shown
from snob.review.providers.claims import decode_claim

if TYPE_CHECKING:
    from collections.abc import Iterable

    from snob.errors import Problems
    from snob.ground.snapshots import Snapshot
    from snob.review.terms import Claim


def look_up_local(snapshot: Snapshot, directory: str, ids: Iterable[str], problems: Problems) -> dict[str, Claim]:
    """
    The claims of `ids` that exist below `directory`; a file that no id names is not opened.

    Each fault of a claim file goes to `problems`. An id fits the grammar of references, so it cannot leave the folder (T49).
    """
    found = {}
    for claim_id in ids:
        path = f"{directory}/{claim_id}.toml"
        try:
            kind = snapshot.kind(path)
            if kind is None:
                snapshot.check_folder(path.rpartition("/")[0])
                continue
            if kind is not Kind.REGULAR:
                message = f"a claim is a regular file, and this is a {kind.value}"
                problems.add(Problem("not-regular", message, shown(path), hint="remove it, or put a file in its place"))
                continue
            data = snapshot.read(path, RECORD_CAP)
            claim, faults = decode_claim(decode_toml(data, path))
        except (InputError, FileError) as error:
            problems.extend(error.problems)
            continue
        problems.extend(
            Problem(fault.code, fault.message, path, line_of(data, fault.key), fault.key, fault.hint)
            for fault in faults
        )
        if claim is not None:
            found[claim_id] = claim
    return found
