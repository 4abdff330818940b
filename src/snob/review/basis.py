"""Everything one judgement rests on, read from one snapshot; all that is wrong with it is told together."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from snob.errors import Problem, Problems, SnobError
from snob.ground.globs import nearest_existing
from snob.ground.paths import shown
from snob.review.candidates import Candidates, is_record, read_candidates
from snob.review.contexts import Contexts
from snob.review.obligations import Expansion, expand
from snob.review.policies import Policies, read_policies
from snob.review.review_files import ReviewFiles, check_sources, read_review_files
from snob.review.settings import Settings, read_settings
from snob.review.terms import Notice

if TYPE_CHECKING:
    from collections.abc import Callable

    from snob.ground.snapshots import Snapshot

_Value = TypeVar("_Value")
_NEAR = 20
"""The patterns for which a near path is looked for: a few are mistakes, thousands are not."""


class Basis(NamedTuple):
    """Settings, policies, review files and candidates, and which rules apply to which candidates."""

    settings: Settings
    policies: Policies
    review_files: ReviewFiles
    candidates: Candidates
    expansion: Expansion


def read_basis(snapshot: Snapshot, *, in_git: bool, settings: Callable[[Problems], Settings] | None = None) -> Basis:
    """
    Read all records and list all candidates of a snapshot.

    `settings` reads the settings where they are not the snapshot's own. Raises `InputError` with every problem.
    """
    problems = Problems()

    def attempt(read: Callable[[], _Value], otherwise: _Value) -> _Value:
        try:
            return read()
        except SnobError as error:
            problems.extend(error.problems)
            return otherwise

    def own_settings() -> Settings:
        return read_settings(snapshot, problems) if settings is None else settings(problems)

    chosen = attempt(own_settings, Settings())
    layout_known = not problems
    policies = attempt(lambda: read_policies(snapshot, chosen.policies, problems), None)
    review_files = attempt(lambda: read_review_files(snapshot, chosen.reviews, problems), ReviewFiles({}, ()))
    attempt(lambda: snapshot.check_folder(chosen.claims), None)
    # Where the settings are faulty, the folder may not be the one that was meant.
    if policies is not None and policies.files == 0 and layout_known:
        hint = "run `snob init` to write a first one, or name the project with `--project`"
        problems.add(Problem("no-policy", f"there is no policy in {chosen.policies}", chosen.policies, hint=hint))
    candidates = attempt(lambda: read_candidates(snapshot, chosen, in_git=in_git), None)
    if candidates is not None:
        sparse, submodules = candidates.sparse, candidates.submodules
        attempt(lambda: check_sources(review_files, snapshot, sparse, submodules, problems), None)
    problems.raise_any()
    if policies is None or candidates is None:
        reason = "a record was not read, and nothing told why"
        raise RuntimeError(reason)
    return Basis(chosen, policies, review_files, candidates, expand(policies.rules, candidates.paths))


def contexts_of(basis: Basis) -> Contexts:
    """The contexts that this basis declares, their members found."""
    paths = basis.candidates.paths
    records = frozenset(index for index, path in enumerate(paths) if is_record(path, basis.settings))
    contexts = Contexts(paths, records)
    contexts.find(pattern for pattern, _ in _context_patterns(basis))
    return contexts


def basis_notices(basis: Basis, contexts: Contexts, snapshot: Snapshot) -> list[Notice]:
    """What is odd about the records, and fails nothing by itself."""
    notices = [*basis.policies.notices, *basis.review_files.notices, *basis.candidates.notices]
    paths = basis.candidates.paths
    idle = frozenset(basis.expansion.idle_patterns)
    idle_notices: list[Notice] = []
    for rule in basis.policies.rules:
        for pattern in sorted({pattern for patterns in rule.scope.matches for pattern in patterns}):
            if pattern in idle:
                what = f"`match` pattern {pattern!r} of {rule.id}"
                idle_notices.append(_idle(what, pattern, rule.path, basis, look_near=len(idle_notices) < _NEAR))
    for pattern, (owner, path) in _context_patterns(basis):
        if not contexts.members(pattern):
            what = f"`context` pattern {pattern!r} of {owner}"
            idle_notices.append(_idle(what, pattern, path, basis, look_near=len(idle_notices) < _NEAR))
    notices += idle_notices
    by_path = {path: index for index, path in enumerate(paths)}
    rules = basis.policies.rules
    for source, review_file in sorted(basis.review_files.by_source.items()):
        index = by_path.get(source)
        applying = {rules[number].id for number in basis.expansion.rules_of[index]} if index is not None else set()
        notices.extend(
            Notice(
                "entry-without-rule",
                f"the entry `{rule_id}` names no rule that matches {shown(source)}",
                shown(review_file.path),
            )
            for rule_id in review_file.claims
            if rule_id not in applying and not review_file.deleted
        )
    claims = basis.settings.claims + "/"
    notices.extend(
        Notice("stray-file", "no claim: its name does not end in `.toml`", shown(path))
        for path in snapshot.listing().paths
        if path.startswith(claims) and not path.endswith(".toml")
    )
    return list(dict.fromkeys(notices))


def _idle(what: str, pattern: str, path: str, basis: Basis, *, look_near: bool) -> Notice:
    near = nearest_existing(pattern, basis.candidates.paths) if look_near else None
    message = f"{what} matches nothing" + (f"; near it is {shown(near)}" if near else "")
    return Notice("pattern-matches-nothing", message, shown(path))


def _context_patterns(basis: Basis) -> list[tuple[str, tuple[str, str]]]:
    """Each context pattern with who declares it, and in which file."""
    declared = [(pattern, (rule.id, rule.path)) for rule in basis.policies.rules for pattern in rule.context]
    for review_file in basis.review_files.by_source.values():
        if review_file.deleted:
            continue  # there is no obligation that it could be context of (F75)
        declared += [(pattern, (shown(review_file.source), review_file.path)) for pattern in review_file.context]
    return declared
