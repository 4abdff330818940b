"""Why a rule applies to a file; which files a rule applies to; what goes into a fingerprint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from snob.errors import Problem, UsageError
from snob.ground.documents import encode_json
from snob.ground.files import Kind
from snob.ground.globs import GlobSet
from snob.ground.paths import shown, told
from snob.ground.reports import Line, envelope, line
from snob.ground.snapshots import WorkTree
from snob.review.basis import contexts_of
from snob.review.check import open_basis
from snob.review.policies import FINGERPRINT_TAG, join_patterns, normal_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from snob.review.basis import Basis
    from snob.review.check import Request
    from snob.review.contexts import Contexts
    from snob.review.terms import Rule

_SHOWN = 20
"""Files that text lists before it gives their number."""


class Explanation(NamedTuple):
    """What was found out about a file, or about a rule; the other one's parts are None."""

    file: FileExplanation | None
    rule: RuleExplanation | None


class FileExplanation(NamedTuple):
    """A file: the rules that apply to it and why, those that do not and why, and the reviews that it is context of."""

    path: str
    candidate: str
    """Empty where it is a candidate, else why it is none."""
    applies: tuple[tuple[Rule, tuple[str, ...], tuple[str, ...]], ...]
    """Each rule with the match patterns that hit, and the joined context patterns."""
    excluded: tuple[tuple[Rule, tuple[str, ...]], ...]
    """Rules whose match hits, with the exclude patterns that take the file out again."""
    context_of: tuple[tuple[str, str], ...]
    """(path, rule id) of every obligation whose context holds this file."""


class RuleExplanation(NamedTuple):
    """A rule: what it applies to, its context, and the fields of its fingerprint."""

    rule: Rule
    files: tuple[str, ...]
    context_files: tuple[str, ...]
    fingerprint_input: tuple[tuple[str, Any], ...]


def explain(request: Request, word: str, path: str | None) -> Explanation:
    """
    Explain `word`, a rule's id, or else the file at `path`.

    Raises `UsageError` where it is neither, and `SnobError` where the project cannot be read.
    """
    tree = WorkTree(request.project.root, request.project.git)
    try:
        basis = open_basis(request, tree)
    finally:
        tree.abandon()
    contexts = contexts_of(basis)
    for index, rule in enumerate(basis.policies.rules):
        if rule.id == word:
            return Explanation(None, _explain_rule(rule, index, basis, contexts))
    if not path or tree.kind(path) is None:
        import difflib  # noqa: PLC0415 - only a mistake pays for it

        near = difflib.get_close_matches(word, [rule.id for rule in basis.policies.rules], n=1)
        hint = f"did you mean the rule `{near[0]}`?" if near else "name a file of the project, or a rule as POLICY/RULE"
        raise UsageError(Problem("usage", f"{shown(word)} is neither a file of the project nor a rule", hint=hint))
    return Explanation(_explain_file(path, basis, contexts, tree.kind(path)), None)


def _explain_rule(rule: Rule, number: int, basis: Basis, contexts: Contexts) -> RuleExplanation:
    paths = basis.candidates.paths
    files = tuple(path for path, rules in zip(paths, basis.expansion.rules_of, strict=True) if number in rules)
    members = sorted({index for pattern in rule.context for index in contexts.members(pattern)})
    fields = (
        ("version", FINGERPRINT_TAG),
        ("id", rule.id),
        ("level", rule.level.value),
        ("description", normal_text(rule.description)),
        ("review", normal_text(rule.review)),
        ("context", list(rule.context)),
    )
    return RuleExplanation(rule, files, tuple(paths[index] for index in members), fields)


def _explain_file(path: str, basis: Basis, contexts: Contexts, kind: Kind | None) -> FileExplanation:
    paths = basis.candidates.paths
    index = paths.index(path) if path in paths else None
    applies = []
    excluded = []
    review_file = basis.review_files.judging(path)
    own = review_file.context if review_file is not None else ()
    for rule in basis.policies.rules if index is not None else ():
        hits = [_hits(patterns, path) for patterns in rule.scope.matches]
        if not all(hits):
            continue
        out = _hits(rule.scope.exclude, path)
        if out:
            excluded.append((rule, out))
        else:
            applies.append(
                (rule, tuple(pattern for found in hits for pattern in found), join_patterns(rule.context, own))
            )
    context_of = tuple(_context_of(index, basis, contexts)) if index is not None else ()
    return FileExplanation(
        path, _why_no_candidate(path, basis, kind) if index is None else "", tuple(applies), tuple(excluded), context_of
    )


def _hits(patterns: tuple[str, ...], path: str) -> tuple[str, ...]:
    globs = GlobSet(patterns)
    accepted = globs.accepted(path)
    return tuple(pattern for bit, pattern in enumerate(globs.patterns) if accepted >> bit & 1)


def _context_of(index: int, basis: Basis, contexts: Contexts) -> Iterator[tuple[str, str]]:
    paths = basis.candidates.paths
    for other, numbers in enumerate(basis.expansion.rules_of):
        if other == index or not numbers:
            continue
        review_file = basis.review_files.judging(paths[other])
        own = review_file.context if review_file is not None else ()
        for number in numbers:
            rule = basis.policies.rules[number]
            if any(index in contexts.members(pattern) for pattern in (*rule.context, *own)):
                yield paths[other], rule.id


def _why_no_candidate(path: str, basis: Basis, kind: Kind | None) -> str:
    if kind is Kind.DIRECTORY and path not in basis.candidates.submodules:
        return "it is a folder"
    ignoring = _hits(basis.settings.ignore, path)
    if ignoring:
        return f"`ignore` leaves it out by {', '.join(map(repr, ignoring))}"
    if path.startswith((basis.settings.reviews + "/", basis.settings.claims + "/")):
        return "it is a review or claim file"
    return "git ignores it, or it lies in another repository"


def explanation_json(explanation: Explanation) -> bytes:
    """The explanation for machines."""
    document = envelope("explain")
    if explanation.rule is not None:
        found = explanation.rule
        document["rule"] = {
            "id": found.rule.id,
            "policy": found.rule.path,
            "match": [list(patterns) for patterns in found.rule.scope.matches],
            "exclude": list(found.rule.scope.exclude),
            "rule_fingerprint": found.rule.fingerprint,
            "fingerprint_input": dict(found.fingerprint_input),
            "files": [told(path) for path in found.files],
            "context_files": [told(path) for path in found.context_files],
        }
    if explanation.file is not None:
        file = explanation.file
        document["file"] = {
            "path": told(file.path),
            "candidate": not file.candidate,
            "rules": [
                {"rule": rule.id, "policy": rule.path, "matched_by": list(hits), "context": list(context)}
                for rule, hits, context in file.applies
            ],
            "excluded": [{"rule": rule.id, "excluded_by": list(out)} for rule, out in file.excluded],
            "context_of": [{"path": told(path), "rule": rule} for path, rule in file.context_of],
        }
        if file.candidate:
            document["file"]["reason"] = file.candidate
    return encode_json(document)


def explanation_text(explanation: Explanation) -> Iterator[Line]:
    """The explanation for people."""
    if explanation.rule is not None:
        yield from _rule_lines(explanation.rule)
    if explanation.file is not None:
        yield from _file_lines(explanation.file)


def _rule_lines(found: RuleExplanation) -> Iterator[Line]:
    rule = found.rule
    yield Line(((rule.id, "bold"), (f"  {rule.level.value}, in {rule.path}", "")))
    yield line(shown(rule.description), indent=2)
    for patterns in rule.scope.matches:
        yield line(f"applies to {', '.join(patterns)}", indent=2)
    if rule.scope.exclude:
        yield line(f"but not to {', '.join(rule.scope.exclude)}", indent=2)
    yield from _listing("files", found.files)
    if rule.context:
        yield line(f"context {', '.join(rule.context)}", indent=2)
        yield from _listing("context files", found.context_files)
    yield line(f"fingerprint {rule.fingerprint}", indent=2)
    yield line("over, in this order:", indent=2)
    for name, value in found.fingerprint_input:
        for place, text in enumerate((", ".join(value) if isinstance(value, list) else value).splitlines() or [""]):
            yield line(f"{name + ':' if not place else '':<13}{shown(text)}", indent=4)


def _listing(name: str, paths: tuple[str, ...]) -> Iterator[Line]:
    yield line(f"{name}: {len(paths):,}", indent=2)
    for path in paths[:_SHOWN]:
        yield line(shown(path), indent=4)
    if len(paths) > _SHOWN:
        yield line(f"and {len(paths) - _SHOWN:,} more (all with --format json)", "dim", indent=4)


def _file_lines(file: FileExplanation) -> Iterator[Line]:
    yield line(shown(file.path), "bold")
    if file.candidate:
        yield line(f"is no candidate: {file.candidate}", indent=2)
        return
    if not file.applies:
        yield line("no rule applies to it", indent=2)
    for rule, hits, context in file.applies:
        yield Line(((rule.id, "bold"), (f"  applies by {', '.join(hits)} in {rule.path}", "")), 2)
        if context:
            yield line(f"with context {', '.join(context)}", indent=4)
    for rule, out in file.excluded:
        yield Line(((rule.id, "dim"), (f"  would match, but is excluded by {', '.join(out)}", "")), 2)
    if file.context_of:
        yield line(
            f"it is context of {len(file.context_of):,} review{'s' * (len(file.context_of) != 1)}, which an edit makes stale:",
            indent=2,
        )
        for path, rule_id in file.context_of[:_SHOWN]:
            yield line(f"{shown(path)}  {rule_id}", indent=4)
        if len(file.context_of) > _SHOWN:
            yield line(f"and {len(file.context_of) - _SHOWN:,} more (all with --format json)", "dim", indent=4)
