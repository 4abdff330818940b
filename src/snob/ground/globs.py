r"""
The one dialect of glob patterns, and matching many of them against many paths at once.

Git is the judge: a pattern matches a path when the pathspec `:(glob)PATTERN`, given at the root, lists that
file. `*`, `?` and a class `[...]` stay within one name, `**` as a whole part spans directories, a leading dot
is ordinary, `?` and a class stand for one byte, a backslash escapes `* ? [ ] \`, and a pattern that equals
the path as text matches it. What differs from git: only whole file paths match, never a directory before
them, and a trailing `/` means everything below (threat T43, case C18).

Patterns are cut into segments at `/` and share a tree of them. The places in that tree to which a directory
leads are one state of an automaton, built as paths ask for it. So a path costs what the patterns near it cost,
not what all cost, and no pattern can make it grow out of bounds (T58).

Inside this module text is bytewise: one character stands for one byte of the name on disk.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

MAX_PATTERN_BYTES = 1_024
"""The longest pattern that is taken (T58)."""

_MOST_NAMES = 5_000
"""How many names of one directory are looked at for a near one."""

_SPECIAL = re.compile(r"[*?\[\\]")
_STOP = re.compile(r"[/\[\\]")
_ESCAPABLE = frozenset("*?[]\\")

_GLUED = re.compile(r"([^*?\[\\]*[^*?\[\\/])\*\*+(?:/\*\*+(?=/|\Z))*(?:/(.+))?", re.DOTALL)
"""A pattern whose first wildcard is `**` at the end of a segment that begins with literal text."""

_NAMED_CLASS = re.compile(r"\[:([^\]]*):\]")
_NAMED_CLASSES: dict[str, tuple[tuple[str, str], ...]] = {
    "alnum": (("0", "9"), ("A", "Z"), ("a", "z")),
    "alpha": (("A", "Z"), ("a", "z")),
    "blank": (("\t", "\t"), (" ", " ")),
    "cntrl": (("\0", "\x1f"), ("\x7f", "\x7f")),
    "digit": (("0", "9"),),
    "graph": (("!", "~"),),
    "lower": (("a", "z"),),
    "print": ((" ", "~"),),
    "punct": (("!", "/"), (":", "@"), ("[", "`"), ("{", "~")),
    # EDGE CASE: git brings its own `isspace`, which knows neither the vertical tab nor the form feed.
    "space": (("\t", "\n"), ("\r", "\r"), (" ", " ")),
    "upper": (("A", "Z"),),
    "xdigit": (("0", "9"), ("A", "F"), ("a", "f")),
}
"""The ranges that a name such as `[:alpha:]` stands for, ASCII only."""

_IMPOSSIBLE_PARTS = {"": "has an empty part", ".": "has the part `.`", "..": "has the part `..`"}

_REFUSALS = {
    "empty": ("is empty", "`**` matches every file"),
    "negated": ("begins with `!`, and there is no negation", "list what to leave out under `exclude`"),
    "unencodable": ("has a character that no file name can have", None),
    "long": (f"is longer than {MAX_PATTERN_BYTES:,} bytes", "split it into several"),
    "nul": ("has a NUL, which no file name can have", None),
    "absolute": ("is absolute", "patterns begin at the root, without a leading `/`"),
    "open": ("has a class `[` that is never closed", r"write `\[` for a bracket"),
    "reversed": ("has a class with a range that runs backwards", "put the lower end first, as in `[a-z]`"),
    "unnamed": ("has a class with a name that is unknown", f"the names are {', '.join(_NAMED_CLASSES)}"),
    "escape": (
        "has a backslash before a character that needs none",
        r"`/` separates folders; a backslash escapes `*`, `?`, `[`, `]` and itself",
    ),
}
"""Why a pattern is refused, in words that follow "the pattern", and the next step."""


class GlobError(ValueError):
    """A pattern that is refused."""

    def __init__(self, reason: str, hint: str | None = None) -> None:
        """Keep why, as words that follow "the pattern", and the next step."""
        super().__init__(f"the pattern {reason}")
        self.reason = reason
        self.hint = hint


def check_glob(pattern: str) -> None:
    """
    Go on where `pattern` is one that means something.

    Raises `GlobError` where it is empty, absolute, negated or too long, where it has a part that no path has,
    a NUL, a class that is none, or a backslash that escapes nothing (T43).
    """
    if not pattern:
        raise GlobError(*_REFUSALS["empty"])
    if pattern.startswith("!"):
        raise GlobError(*_REFUSALS["negated"])
    try:
        text = _bytewise(pattern)
    except UnicodeEncodeError:
        raise GlobError(*_REFUSALS["unencodable"]) from None
    if len(text) > MAX_PATTERN_BYTES:
        raise GlobError(*_REFUSALS["long"])
    if "\0" in text:
        raise GlobError(*_REFUSALS["nul"])
    if text.startswith("/"):
        raise GlobError(*_REFUSALS["absolute"])
    # EDGE CASE: the parts are judged as text, a `/` within a class included. Git would shorten `[a/./b]` to
    # `[a/b]`, as if it were a path, before it saw the class.
    for part in text.removesuffix("/").split("/"):
        if part in _IMPOSSIBLE_PARTS:
            raise GlobError(_IMPOSSIBLE_PARTS[part], "write the path out from the root")
    _segments(text)


def literal_path(pattern: str) -> str | None:
    """Return the one path that a valid `pattern` can match where it has no wildcard at all."""
    return None if pattern.endswith("/") or _SPECIAL.search(pattern) else pattern


def literal_prefix(pattern: str) -> str:
    """
    Return the longest directory, such as `src/auth/`, below which everything lies that a valid `pattern` matches.

    Where that is the root, it is empty.
    """
    # NOTE: an escape ends the prefix although its meaning is plain: the pattern matches itself as text as well.
    wild = _SPECIAL.search(pattern)
    return pattern[: pattern.rfind("/", 0, wild.start() if wild else None) + 1]


def nearest_existing(pattern: str, paths: Sequence[str]) -> str | None:
    """
    Return what a valid `pattern` that matches nothing may have meant: a directory, with its `/`, or a file.

    `paths` are sorted. The first literal part of the pattern that does not exist is compared with the names
    that stand in its place; no more than some thousand names are looked at.
    """
    from bisect import bisect_left  # noqa: PLC0415 - needed only on the way to an error message

    folder = ""
    for name in literal_prefix(pattern).split("/")[:-1]:
        place = bisect_left(paths, f"{folder}{name}/")
        if place == len(paths) or not paths[place].startswith(f"{folder}{name}/"):
            return _near_name(name, folder, paths, files=False)
        folder += f"{name}/"
    path = literal_path(pattern)
    return _near_name(path.removeprefix(folder), folder, paths, files=True) if path else None


def _near_name(name: str, folder: str, paths: Sequence[str], *, files: bool) -> str | None:
    """Return the entry of `folder` whose name is nearest to `name`, a directory or, if `files`, a file."""
    from bisect import bisect_left  # noqa: PLC0415 - as above
    from difflib import get_close_matches  # noqa: PLC0415 - as above

    entries: dict[str, str] = {}
    place = bisect_left(paths, folder)
    for _ in range(_MOST_NAMES):
        if place == len(paths) or not paths[place].startswith(folder):
            break
        entry, slash, _rest = paths[place][len(folder) :].partition("/")
        if slash or files:
            entries[entry.casefold()] = f"{folder}{entry}{slash}"
        # NOTE: `0` is the character after `/`, so this place is the first behind everything below the directory.
        place = bisect_left(paths, f"{folder}{entry}0", place) if slash else place + 1
    near = get_close_matches(name.casefold(), entries, n=1)
    return entries[near[0]] if near else None


class GlobSet:
    """
    Patterns that are matched together; what is learnt about one path makes the next one cheaper.

    A set of patterns that a path matches is an integer, with bit `i` set where `patterns[i]` is among them.
    """

    patterns: tuple[str, ...]
    """The distinct patterns in the order in which they were given."""

    def __init__(self, patterns: Iterable[str]) -> None:
        """Compile `patterns`. Raises `GlobError` for the first that `check_glob` refuses."""
        self.patterns = tuple(dict.fromkeys(patterns))
        self._by_text: dict[str, int] = {}
        self._names = _Names()
        root = _Place()
        for index, pattern in enumerate(self.patterns):
            check_glob(pattern)
            text = _bytewise(pattern)
            self._by_text[text] = self._by_text.get(text, 0) | 1 << index
            if literal_path(text) is None:
                for segments in _alternatives(text):
                    self._grow(root, segments, 1 << index)
        self._states: dict[frozenset[_Place], _State] = {}
        self._folders = {"": self._state({root})}

    def accepted(self, path: str) -> int:
        """Return the patterns that `path` matches, a whole file path relative to the root."""
        return self.accepted_all((path,))[0]

    def matches(self, path: str) -> bool:
        """Return whether `path` matches any of the patterns."""
        return self.accepted(path) != 0

    def accepted_all(self, paths: Iterable[str]) -> list[int]:
        """Return for every path in turn the patterns that it matches. Sorted paths are the cheapest."""
        kinds, by_text = self._names.kinds, self._by_text
        last_folder, state = "", self._folders[""]
        accepted_all = []
        for given in paths:
            path = given if given.isascii() else _bytewise(given)
            folder, _, name = path.rpartition("/")
            if folder != last_folder:
                last_folder, state = folder, self._enter(folder)
            kind = kinds.get(name)
            if kind is None:
                kind = self._names.kind(name)
            accepted = state.accepted.get(kind)
            if accepted is None:
                accepted = state.accept(kind)
            accepted_all.append(accepted | by_text[path] if path in by_text else accepted)
        return accepted_all

    def _grow(self, place: _Place, segments: list[str], pattern: int) -> None:
        """Make `segments` lead from `place` to the one bit of `pattern`."""
        *folders, last = segments
        if _spans(last):
            # NOTE: a `**` at the end needs one name or more, so it is a `**` in the middle and one more name.
            folders, last = segments, "*"
        for segment in folders:
            if not _spans(segment):
                self._names.add(segment)
                place = place.edges.setdefault(segment, _Place())
            elif not place.stays:
                place.spanned = place.spanned or _Place(stays=True)
                place = place.spanned
        self._names.add(last)
        place.leaves[last] = place.leaves.get(last, 0) | pattern

    def _enter(self, folder: str) -> _State:
        """Return the state behind the directories of `folder`."""
        unknown = []
        while (state := self._folders.get(folder)) is None:
            unknown.append(folder)
            folder = folder.rpartition("/")[0]
        for below in reversed(unknown):
            kind = self._names.kind(below.rpartition("/")[2])
            after = state.after.get(kind)
            if after is None:
                after = state.after[kind] = self._state(state.reach(kind))
            state = self._folders[below] = after
        return state

    def _state(self, places: set[_Place]) -> _State:
        """Return the one state of `places` and of those behind a `**` that spans nothing there."""
        key = frozenset(places.union([place.spanned for place in places if place.spanned]))
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = _State(key)
        return state


class _Place:
    """A place in the tree of segments: what the directories so far have satisfied, and what may follow."""

    __slots__ = ("edges", "leaves", "spanned", "stays")

    def __init__(self, *, stays: bool = False) -> None:
        """Begin with nothing that may follow."""
        self.edges: dict[str, _Place] = {}
        """The place behind one more directory, by the segment that it has to satisfy."""
        self.leaves: dict[str, int] = {}
        """The patterns that end with a file, by the segment that it has to satisfy."""
        self.spanned: _Place | None = None
        """The place behind a `**`, which may span nothing."""
        self.stays = stays
        """Whether any directory leads back here, as it does behind `**`."""


class _State:
    """All the places that the directories so far lead to; where it leads is found out when a path asks."""

    __slots__ = ("_edges", "_leaves", "_staying", "accepted", "after")

    def __init__(self, places: frozenset[_Place]) -> None:
        """Keep what matters of `places`."""
        self._staying = [place for place in places if place.stays]
        self._edges = [place.edges for place in places if place.edges]
        self._leaves = [place.leaves for place in places if place.leaves]
        self.after: dict[frozenset[str], _State] = {}
        """The state behind one more directory, by the kind of its name."""
        self.accepted: dict[frozenset[str], int] = {}
        """The patterns that match a file, by the kind of its name."""

    def accept(self, kind: frozenset[str]) -> int:
        """Return the patterns that match a file of a name of that `kind`, and remember them."""
        accepted = 0
        for leaves in self._leaves:
            # NOTE: the smaller of the two is walked through; a place may have thousands of leaves, a kind of segments.
            few, many = (leaves, kind) if len(leaves) < len(kind) else (kind, leaves)
            for segment in few:
                if segment in many:
                    accepted |= leaves[segment]
        self.accepted[kind] = accepted
        return accepted

    def reach(self, kind: frozenset[str]) -> set[_Place]:
        """Return the places behind a directory of a name of that `kind`."""
        reached = set(self._staying)
        for edges in self._edges:
            few, many = (edges, kind) if len(edges) < len(kind) else (kind, edges)
            reached.update([edges[segment] for segment in few if segment in many])
        return reached


class _Names:
    """
    What is known about single names.

    The kind of a name is the set of the segments that it satisfies; names of one kind are alike to all patterns.
    """

    def __init__(self) -> None:
        """Begin without a segment."""
        self.kinds: dict[str, frozenset[str]] = {}
        """The kind of each name that was met so far."""
        self._shared: dict[frozenset[str], frozenset[str]] = {}
        self._segments: set[str] = set()
        self._literals: set[str] = set()
        self._heads: dict[str, list[_Segment]] = {}
        self._tails: dict[str, list[_Segment]] = {}
        self._head_lengths: set[int] = set()
        self._tail_lengths: set[int] = set()

    def add(self, text: str) -> None:
        """Know the segment `text`, and file it where the names that may satisfy it will find it."""
        if text in self._segments:
            return
        self._segments.add(text)
        if not _SPECIAL.search(text):
            self._literals.add(text)
            return
        segment = _Segment(text)
        if len(segment.head) >= len(segment.tail):
            self._heads.setdefault(segment.head, []).append(segment)
            self._head_lengths.add(len(segment.head))
        else:
            self._tails.setdefault(segment.tail, []).append(segment)
            self._tail_lengths.add(len(segment.tail))

    def kind(self, name: str) -> frozenset[str]:
        """Return the kind of `name`, and remember it."""
        kind = self.kinds.get(name)
        if kind is None:
            candidates: list[_Segment] = []
            for length in self._head_lengths:
                candidates += self._heads.get(name[:length], ())
            for length in self._tail_lengths:
                candidates += self._tails.get(name[-length:], ())
            satisfied = [segment.text for segment in candidates if segment.is_sure or segment.fits(name)]
            if name in self._literals:
                satisfied.append(name)
            # NOTE: one object for each kind, which knows its hash, makes the look-ups by it cheap.
            kind = frozenset(satisfied)
            kind = self.kinds[name] = self._shared.setdefault(kind, kind)
        return kind


class _Segment:
    """One segment with wildcards."""

    __slots__ = ("_chunks", "_fullmatch", "head", "is_sure", "tail", "text")

    def __init__(self, text: str) -> None:
        """Take `text` apart; the regular expression waits until the first name asks for it."""
        chunks, literals = [""], [""]
        at = 0
        while at < len(text):
            if text[at] == "*":
                at += 1
                if len(chunks) == 1 or chunks[-1]:
                    chunks.append("")
                    literals.append("")
            elif text[at] in "?[":
                source, at = _class(text, at) if text[at] == "[" else (".", at + 1)
                chunks[-1] += source
                literals.append("")
            else:
                byte, at = _byte(text, at)
                chunks[-1] += re.escape(byte)
                literals[-1] += byte
        self.text = text
        self.head = literals[0]
        """The literal text before the first wildcard."""
        self.tail = literals[-1] if len(literals) > 1 else ""
        """The literal text behind the last wildcard."""
        self.is_sure = len(chunks) == len(literals) == 2 and not (self.head and self.tail)
        """Whether the segment asks for no more than one of the two."""
        self._chunks = chunks
        self._fullmatch: Callable[[str], object] | None = None

    def fits(self, name: str) -> bool:
        """
        Return whether `name`, which has the longer of `head` and `tail`, satisfies the segment.

        The first place at which the text between two stars fits is as good as any later one. So no star is
        tried again: the groups are atomic, and each text costs one pass over the name at most (T58).
        """
        if self._fullmatch is None:
            first, *between = self._chunks
            last = ".*" + between.pop() if between else ""
            source = first + "".join(f"(?>.*?{chunk})" for chunk in between) + last
            self._fullmatch = re.compile(source, re.DOTALL).fullmatch
        return name.endswith(self.tail) and self._fullmatch(name) is not None


def _bytewise(text: str) -> str:
    """Return `text` with one character for each byte of the name on disk."""
    return text if text.isascii() else os.fsencode(text).decode("latin-1")


def _spans(segment: str) -> bool:
    """Return whether `segment` is `**`, which git also takes with more stars."""
    return len(segment) > 1 and not segment.strip("*")


def _alternatives(text: str) -> list[list[str]]:
    """Return the segments of a pattern; of several that mean the same together in the one case that needs it."""
    if text.endswith("/"):
        text += "**"
    glued = _GLUED.fullmatch(text)
    if glued is None:
        return [_segments(text)]
    # EDGE CASE: git compares the literal beginning of a pattern on its own and gives its matcher what remains.
    # A `**` that remains at the very beginning spans directories there, although it is no part of its own.
    head, rest = glued.groups()
    both = (f"{head}*", f"{head}*/**") if rest is None else (f"{head}*/**/{rest}", f"{head}{rest}")
    return [_segments(alternative) for alternative in both]


def _segments(text: str) -> list[str]:
    """Cut a pattern at each `/` that is not within a class. Raises `GlobError` for a bad class or escape."""
    segments = []
    begin = at = 0
    while stop := _STOP.search(text, at):
        at = stop.start()
        if text[at] == "/":
            segments.append(text[begin:at])
            begin = at = at + 1
        elif text[at] == "[":
            _, at = _class(text, at)
        else:
            _, at = _byte(text, at)
    segments.append(text[begin:])
    return segments


def _byte(text: str, at: int) -> tuple[str, int]:
    """Return the byte that stands at `at`, perhaps escaped, and the place behind it. Raises `GlobError`."""
    if text[at] != "\\":
        return text[at], at + 1
    escaped = text[at + 1 : at + 2]
    if escaped not in _ESCAPABLE:
        raise GlobError(*_REFUSALS["escape"])
    return escaped, at + 2


def _class(text: str, at: int) -> tuple[str, int]:
    """
    Return the class that opens at `at` as a regular expression, and the place behind it.

    It is read as git reads it: `!` or `^` negates, a `]` that comes first and a `-` without two ends are
    themselves. Raises `GlobError` where git would find that the class matches nothing.
    """
    negated = text[at + 1 : at + 2] in {"!", "^"}
    first = at = at + 1 + negated
    ranges = []
    low: str | None = None
    while (char := text[at : at + 1]) != "]" or at == first:
        if not char:
            raise GlobError(*_REFUSALS["open"])
        if char == "-" and low and text[at + 1 : at + 2] not in {"", "]"}:
            high, at = _byte(text, at + 1)
            if high < low:
                raise GlobError(*_REFUSALS["reversed"])
            ranges.append((low, high))
            low = None
        elif named := _NAMED_CLASS.match(text, at):
            if named[1] not in _NAMED_CLASSES:
                raise GlobError(*_REFUSALS["unnamed"])
            ranges.extend(_NAMED_CLASSES[named[1]])
            at = named.end()
            low = None
        else:
            low, at = _byte(text, at)
            ranges.append((low, low))
    # NOTE: no name has a `/`, so a class that lists one, or a negated one that does not, needs no care here.
    members = "".join(rf"\x{ord(low):02x}-\x{ord(high):02x}" for low, high in ranges)
    return f"[{'^' if negated else ''}{members}]", at + 1
