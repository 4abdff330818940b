"""Policy files, and the fingerprint of a rule."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from snob.errors import FileError, InputError, Problem
from snob.ground.canonical import encode
from snob.ground.digests import content_hash
from snob.ground.documents import RECORD_CAP
from snob.ground.files import Kind
from snob.ground.paths import byte_order, shown
from snob.ground.tables import Source
from snob.review.terms import Level, Notice, Rule, Scope

if TYPE_CHECKING:
    from collections.abc import Iterable

    from snob.errors import Problems
    from snob.ground.snapshots import Snapshot
    from snob.ground.tables import Table

FINGERPRINT_TAG = "snob rule fingerprint v1"
"""What the fingerprint is of; a new version of the serialisation is a new tag, and voids every claim."""

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*\Z")
_SUFFIX = ".toml"


class Policies(NamedTuple):
    """The rules of every policy file, sorted by id."""

    rules: tuple[Rule, ...]
    files: int
    """The number of policy files."""
    notices: tuple[Notice, ...]


def read_policies(snapshot: Snapshot, directory: str, problems: Problems) -> Policies:
    """
    Every policy below `directory`; each fault goes to `problems`.

    Raises `FileError` where the folder cannot be listed.
    """
    rules: list[Rule] = []
    notices = []
    files = 0
    for path, kind in snapshot.below(directory):
        if kind is Kind.SYMLINK:
            message = "is a link: policies are files and folders themselves"
            problems.add(Problem("not-regular", message, shown(path), hint="put what it points to in its place"))
            continue
        if not path.endswith(_SUFFIX):
            notices.append(Notice("stray-file", f"no policy: its name does not end in `{_SUFFIX}`", shown(path)))
            continue
        files += 1
        if kind is not Kind.REGULAR:
            message = f"a policy is a regular file, and this is a {kind.value}"
            problems.add(Problem("not-regular", message, shown(path), hint="remove it, or put a file in its place"))
            continue
        name = path[len(directory) + 1 : -len(_SUFFIX)]
        if not all(_NAME.match(part) for part in name.split("/")):
            hint = "use small letters, digits, `.`, `_` and `-`, starting with a letter or digit"
            problems.add(
                Problem(
                    "misplaced", "the path of a policy names its rules, and this one cannot", shown(path), hint=hint
                )
            )
            continue
        try:
            table = Source(path, snapshot.read(path, RECORD_CAP), problems).table()
        except (InputError, FileError) as error:
            problems.extend(error.problems)
            continue
        rules.extend(_read_policy(table, name, path))
    return Policies(tuple(sorted(rules, key=lambda rule: rule.id)), files, tuple(notices))


def _read_policy(table: Table, name: str, path: str) -> list[Rule]:
    table.text("description")
    match = _read_match(table)
    exclude = table.globs("exclude") or ()
    context = table.globs("context") or ()
    rules = table.table("rules")
    found = []
    if rules is not None:
        for key in rules:
            entry = rules.table(key)
            if entry is None:
                continue
            if not _NAME.match(key):
                entry.complain("invalid-value", "is no rule name: use small letters, digits, `.`, `_` and `-`")
            found.append(_read_rule(entry, f"{name}/{key}", path, match, exclude, context))
        if not list(rules):
            rules.complain("missing-key", "has no rule; a policy needs one or more")
    elif "rules" not in table:
        table.complain("missing-key", "is missing: a policy needs one rule or more", "rules")
    table.finish()
    return found


def _read_rule(
    table: Table, rule_id: str, path: str,
    match: tuple[str, ...] | None, exclude: tuple[str, ...], context: tuple[str, ...],
) -> Rule:  # fmt: skip
    level = table.text("level")
    if level is not None and level not in {known.value for known in Level}:
        table.complain("invalid-value", f'must be "error" or "warning", not {level!r}', "level")
        level = None
    description = table.text("description", required=True) or ""
    review = table.text("review", required=True) or ""
    for name, text in (("description", description), ("review", review)):
        if name in table and not text.strip():
            table.complain("invalid-value", "must say something", name)
    own = _read_match(table)
    matches = tuple(patterns for patterns in (match, own) if patterns is not None)
    if not matches and "match" not in table:
        table.complain("missing-key", "is missing, here and in the policy: the rule would apply to nothing", "match")
    scope = Scope(matches, (*exclude, *(table.globs("exclude") or ())))
    joined = join_patterns(context, table.globs("context") or ())
    table.finish()
    chosen = Level(level) if level is not None else Level.ERROR
    return Rule(
        rule_id,
        chosen,
        description,
        review,
        joined,
        fingerprint(rule_id, chosen, description, review, joined),
        scope,
        path,
    )


def _read_match(table: Table) -> tuple[str, ...] | None:
    patterns = table.globs("match")
    if patterns is not None and not table.raw("match"):
        table.complain("invalid-value", "is empty: leave it out, or name what the rule applies to", "match")
    return patterns


def join_patterns(*lists: Iterable[str]) -> tuple[str, ...]:
    """The distinct patterns of all lists, in byte order."""
    return tuple(sorted({pattern for patterns in lists for pattern in patterns}, key=byte_order))


def fingerprint(rule_id: str, level: Level, description: str, review: str, context: tuple[str, ...]) -> str:
    """
    The digest of a rule's definition (`F3`, `F6`): what it asks, not where it applies.

    It is BLAKE3 over the framed tag, id, level, description, review guidance and context patterns. Texts are normalised,
    so that TOML formatting, line ends and trailing blanks change nothing.
    """
    data = encode(FINGERPRINT_TAG, rule_id, level.value, normal_text(description), normal_text(review), context)
    return content_hash(data)


def normal_text(text: str) -> str:
    """`text` with LF line ends, no trailing blanks in a line, and no blank lines at either end."""
    lines = [line.rstrip(" \t") for line in text.replace("\r\n", "\n").split("\n")]
    while lines and not lines[0]:
        del lines[0]
    while lines and not lines[-1]:
        del lines[-1]
    return "\n".join(lines)
