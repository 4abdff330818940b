"""The one orchestration: read, expand, hash, look up, judge. `check` and `pending` tell its result in two ways."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple, Protocol

from snob.errors import FileError, Problem, Problems, UsageError
from snob.ground.documents import RECORD_CAP
from snob.ground.files import Tree, absent_among
from snob.ground.hashing import ABSENT
from snob.ground.paths import is_utf8, on_the_way, shown
from snob.ground.snapshots import WorkTree
from snob.review.basis import basis_notices, contexts_of, read_basis
from snob.review.judge import judge
from snob.review.line_ends import HINT, hashes_of_other_line_ends
from snob.review.notices import candidate_notices, claim_notices, path_notices, provider_notices, record_notices
from snob.review.policies import join_patterns
from snob.review.providers.lookup import Lookup, look_up
from snob.review.settings import LOCAL, decode_settings
from snob.review.terms import Level, Notice, Standing, Subject

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from snob.ground.project import Project
    from snob.ground.stat_cache import StatCache
    from snob.review.basis import Basis
    from snob.review.contexts import Contexts
    from snob.review.settings import Settings
    from snob.review.terms import Claim, ClaimRef, Difference, ReviewFile, Row, Rule

_LINE_ENDS_CAP = 64 * 1024 * 1024
_LEAVE_OUT = "leave it out with `exclude` or `ignore`"
_UNHASHABLE = frozenset({"special-file", "unreadable"})


class Progress(Protocol):
    """Is told how a long run gets on."""

    def start(self, what: str, total: int) -> None:
        """A stage begins that has `total` steps."""

    def advance(self, steps: int) -> None:
        """Some steps are done."""


class Request(NamedTuple):
    """What a run is asked to judge, and how."""

    project: Project
    paths: tuple[str, ...]
    """Keep the rows on or below these, relative to the root; all rows where there is none."""
    config: str | None
    """The absolute path of the file that stands for `snob.toml` (`F61`)."""
    fail_on: Level
    run_commands: bool
    """Whether provider commands are started."""
    jobs: int | None
    cache: StatCache | None
    progress: Progress


class Summary(NamedTuple):
    """The counts of a run."""

    candidates: int
    obligations: int
    satisfied: int
    exempt: int
    stale: int
    missing: int
    violated: int
    failing: int


class Judgement(NamedTuple):
    """What a run found."""

    rows: tuple[Row, ...]
    """One per obligation that was kept, sorted by path and rule."""
    notices: tuple[Notice, ...]
    summary: Summary


class _Owed(NamedTuple):
    """One obligation before it is judged."""

    place: int
    """The index of its candidate."""
    rule: Rule
    patterns: tuple[str, ...]
    references: tuple[ClaimRef, ...]


def run_check(request: Request) -> Judgement:
    """
    Judge a project's work tree.

    Raises `SnobError` with every problem that can be found, where it cannot be judged.
    """
    project = request.project
    tree = WorkTree(project.root, project.git, jobs=request.jobs, cache=request.cache)
    try:
        basis = open_basis(request, tree)
        contexts = contexts_of(basis)
        keep = _kept(request.paths, basis, tree)
        owed = _owe(basis, keep)
        problems = Problems()
        hashes = _hash(request, basis, contexts, owed, tree, problems)
    finally:
        tree.abandon()
    contexts.hashed(hashes)
    owed = [item for item in owed if hashes[item.place] != ABSENT]
    references_notices = _complain_of_providers(basis, owed, problems)
    wanted = dict.fromkeys(ref for item in owed for ref in item.references)
    folder = project.root if request.config is None else os.path.dirname(request.config)
    claims = look_up(Lookup(tree, basis.settings, folder, request.run_commands), wanted, problems)
    problems.raise_any()
    rows = _judge_all(basis, contexts, hashes, owed, claims)
    rows = _with_hints(rows, tree)
    notices = [
        *basis_notices(basis, contexts, tree),
        *references_notices,
        *candidate_notices(basis, hashes, tree),
        *claim_notices(rows, contexts, basis),
        *record_notices(basis, tree, wanted),
        *provider_notices(basis, wanted),
        *path_notices(request.paths, rows),
    ]
    absent = {index for index, content in enumerate(hashes) if content == ABSENT} & set(keep)
    if not rows and not request.paths:
        notices.append(Notice("nothing-judged", "no rule matches any candidate, so nothing was judged"))
    return Judgement(
        tuple(rows),
        tuple(sorted(dict.fromkeys(notices), key=lambda notice: (notice.path or "", notice.code, notice.message))),
        _summarise(rows, len(keep) - len(absent), request.fail_on),
    )


def open_basis(request: Request, tree: WorkTree) -> Basis:
    """The basis of a work tree, its settings from `--config` where that was given; raises `SnobError`."""
    config = request.config
    if config is None:
        return read_basis(tree, in_git=request.project.git is not None)

    def configured(problems: Problems) -> Settings:
        folder, name = os.path.split(os.path.realpath(config))
        outside = Tree(folder)
        try:
            data = outside.read(name, RECORD_CAP)
        except FileError as error:
            raise FileError(*(problem._replace(path=shown(config)) for problem in error.problems)) from error
        finally:
            outside.close()
        return decode_settings(data, config, problems)

    return read_basis(tree, in_git=request.project.git is not None, settings=configured)


def _kept(filters: Sequence[str], basis: Basis, tree: WorkTree) -> list[int]:
    """The indices of the candidates on or below the given paths; raises `UsageError` for one that is not there."""
    paths = basis.candidates.paths
    if not filters or "" in filters:
        return list(range(len(paths)))
    missing = [path for path in filters if tree.kind(path) is None]
    if missing:
        # A tracked file that is gone from disk is a deletion, not a mistake on the command line.
        known = frozenset(above for path in tree.listing().paths for above in on_the_way(path))
        missing = [path for path in missing if path not in known]
    if missing:
        hint = "a PATH is a file or folder of the project, relative to the working directory; it is no pattern"
        raise UsageError(*(Problem("usage", "does not exist", shown(path), hint=hint) for path in missing))
    kept = frozenset(filters)
    return [index for index, path in enumerate(paths) if not kept.isdisjoint(on_the_way(path))]


def _owe(basis: Basis, keep: Iterable[int]) -> list[_Owed]:
    """The obligations on kept candidates."""
    rules = basis.policies.rules
    joined: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[str, ...]] = {}
    owed = []
    for index in keep:
        path = basis.candidates.paths[index]
        review_file = basis.review_files.judging(path)
        own = review_file.context if review_file is not None else ()
        for number in basis.expansion.rules_of[index]:
            rule = rules[number]
            patterns = joined.get((rule.context, own))
            if patterns is None:
                patterns = joined[rule.context, own] = join_patterns(rule.context, own)
            references = review_file.claims.get(rule.id, ()) if review_file is not None else ()
            owed.append(_Owed(index, rule, patterns, references))
    return owed


def _complain_of_providers(basis: Basis, owed: Iterable[_Owed], problems: Problems) -> list[Notice]:
    """A problem for each provider that an entry of a judged row names in vain, a notice for those of other entries."""
    judged = {(basis.candidates.paths[item.place], item.rule.id) for item in owed if item.references}
    notices = []
    for review_file in basis.review_files.by_source.values():
        for rule_id, references in review_file.claims.items():
            found = _unconfigured(review_file, rule_id, references, basis.settings)
            if (review_file.source, rule_id) in judged:
                problems.extend(found)
            else:
                notices += [Notice("unknown-provider", problem.message, problem.path) for problem in found]
    return notices


def _unconfigured(
    review_file: ReviewFile, rule_id: str, references: Iterable[ClaimRef], settings: Settings
) -> Iterable[Problem]:
    for reference in references:
        if reference.provider != LOCAL and reference.provider not in settings.providers:
            message = f"`{rule_id}` refers to {shown(str(reference))}, and no provider `{shown(reference.provider)}` is configured"
            hint = f"configure [providers.{shown(reference.provider)}] in snob.toml, or correct the reference"
            yield Problem("no-provider", message, shown(review_file.path), key=rule_id, hint=hint)


def _hash(
    request: Request, basis: Basis, contexts: Contexts, owed: Iterable[_Owed], tree: WorkTree, problems: Problems
) -> list[str | None]:
    """
    The content hash of every candidate that a kept rule or its context needs, None for the others.

    A file that cannot be hashed goes to `problems`, and then no hash is to be relied on.
    """
    needed = set()
    asked: set[tuple[str, ...]] = set()
    for item in owed:
        needed.add(item.place)
        asked.add(item.patterns)
    for pattern in {pattern for patterns in asked for pattern in patterns}:
        needed |= contexts.members(pattern)
    hashes: list[str | None] = [None] * len(basis.candidates.paths)
    indices = []
    for index in sorted(needed):
        path = basis.candidates.paths[index]
        if is_utf8(path):
            indices.append(index)
        else:
            message = "a rule needs this file, and its name is not UTF-8"
            problems.add(Problem("not-utf8", message, shown(path), hint=f"rename it, or {_LEAVE_OUT}"))
    paths = [basis.candidates.paths[index] for index in indices]
    request.progress.start("hashing files", len(paths))
    try:
        for index, content in zip(indices, tree.content_hashes(paths, request.progress.advance), strict=True):
            hashes[index] = content
    except FileError as error:
        problems.extend(_with_next_step(problem) for problem in error.problems)
    unseen = [path for index, path in enumerate(basis.candidates.paths) if hashes[index] is None]
    by_path = {path: index for index, path in enumerate(basis.candidates.paths)} if unseen else {}
    for path in absent_among(tree.root, unseen, folders=basis.candidates.submodules):
        hashes[by_path[path]] = ABSENT
    return hashes


def _with_next_step(problem: Problem) -> Problem:
    hint = f"make it a file that can be read, or {_LEAVE_OUT}" if problem.code in _UNHASHABLE else None
    return problem if problem.hint is not None else problem._replace(hint=hint)


def _judge_all(
    basis: Basis,
    contexts: Contexts,
    hashes: Sequence[str | None],
    owed: Iterable[_Owed],
    claims: Mapping[ClaimRef, Claim],
) -> list[Row]:
    rows = []
    for index, rule, patterns, references in owed:
        context = contexts.context(patterns, index) if patterns else None
        subject = Subject(basis.candidates.paths[index], hashes[index] or ABSENT, rule.id, rule.fingerprint, context)
        rows.append(judge(rule, subject, references, claims))
    return rows


def _with_hints(rows: list[Row], tree: WorkTree) -> list[Row]:
    """The rows, a stale one's content difference marked where it is nothing but line ends (C1)."""
    variants: dict[str, frozenset[str]] = {}
    told = []
    for row in rows:
        if row.standing is not Standing.STALE:
            told.append(row)
            continue
        path = row.subject.path
        references = []
        for reference in row.references:
            if any(difference.field == "content_hash" for difference in reference.differences) and path not in variants:
                variants[path] = _variants(path, tree)
            differences = tuple(
                _with_hint(difference, variants.get(path, frozenset())) for difference in reference.differences
            )
            references.append(reference._replace(differences=differences))
        told.append(row._replace(references=tuple(references)))
    return told


def _with_hint(difference: Difference, variants: frozenset[str]) -> Difference:
    # EDGE CASE: a claim may record a list where a hash belongs, which no set can be asked about.
    if difference.field == "content_hash" and isinstance(difference.recorded, str) and difference.recorded in variants:
        return difference._replace(hint=HINT)
    return difference


def _variants(path: str, tree: WorkTree) -> frozenset[str]:
    try:
        return hashes_of_other_line_ends(tree.read(path, _LINE_ENDS_CAP))
    except FileError:
        # A link, a submodule or a very large file: the difference stands, only without a hint.
        return frozenset()


def _summarise(rows: Sequence[Row], candidates: int, fail_on: Level) -> Summary:
    standings = [row.standing for row in rows]
    return Summary(
        candidates=candidates,
        obligations=len(rows),
        satisfied=standings.count(Standing.SATISFIED),
        exempt=standings.count(Standing.EXEMPT),
        stale=standings.count(Standing.STALE),
        missing=standings.count(Standing.MISSING),
        violated=standings.count(Standing.VIOLATED),
        failing=sum(fails(row, fail_on) for row in rows),
    )


def fails(row: Row, fail_on: Level) -> bool:
    """Whether a row fails a check that fails on `fail_on` and worse."""
    if row.standing is Standing.SATISFIED or row.standing is Standing.EXEMPT:
        return False
    return row.rule.level is Level.ERROR or fail_on is Level.WARNING
