"""
A strict reader over a decoded table: types, required and unknown keys, glob lists.

Every complaint names the file, the line where it can be told, the dotted key, and the nearest valid name; reading goes
on after it, so that a file's problems are told together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from snob.errors import Problem, Problems
from snob.ground.documents import decode_toml, key_lines
from snob.ground.globs import GlobError, check_glob

if TYPE_CHECKING:
    from collections.abc import Iterator

_UNKNOWN_TOLD = 20
"""The most unknown keys of one table that are told one by one."""
_WORDS = {str: "a string", int: "a whole number", bool: "true or false", list: "a list", dict: "a table"}


class Table:
    """One table of a file; remembers which keys were asked for, so that `finish` can name the others."""

    def __init__(self, values: dict[str, Any], source: Source, path: tuple[str, ...] = ()) -> None:
        """Read `values`, which stand at the keys `path` of the file `source`."""
        self._values = values
        self._source = source
        self._path = path
        self._known: dict[str, None] = {}

    def __contains__(self, name: str) -> bool:
        """Whether the key is there."""
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        """The keys in the order of the file."""
        return iter(self._values)

    def text(self, name: str, *, required: bool = False) -> str | None:
        """A string; None where it is absent or was complained of."""
        value: str | None = self._typed(name, str, required=required)
        return value

    def flag(self, name: str) -> bool:
        """A boolean; false where it is absent."""
        return bool(self._typed(name, bool))

    def number(self, name: str) -> int | None:
        """A whole number, None where it is absent."""
        value: int | None = self._typed(name, int)
        return value

    def raw(self, name: str) -> Any:  # noqa: ANN401 - the caller judges the type
        """Whatever stands there, None where nothing does."""
        self._known[name] = None
        return self._values.get(name)

    def texts(self, name: str) -> tuple[str, ...] | None:
        """A list of strings; None where it is absent or was complained of."""
        value = self._typed(name, list)
        if value is None:
            return None
        if not all(isinstance(item, str) for item in value):
            self.complain("wrong-type", "must be a list of strings", name)
            return None
        return tuple(value)

    def globs(self, name: str) -> tuple[str, ...] | None:
        """A list of glob patterns, each of which was checked; None where the list is absent."""
        patterns = self.texts(name)
        if patterns is None:
            return None
        good = []
        for pattern in patterns:
            try:
                check_glob(pattern)
            except GlobError as error:
                self.complain("invalid-value", f"pattern {pattern!r}: {error.reason}", name, hint=error.hint)
            else:
                good.append(pattern)
        return tuple(good)

    def table(self, name: str) -> Table | None:
        """A table below this one; None where it is absent or was complained of."""
        value = self._typed(name, dict)
        return None if value is None else Table(value, self._source, (*self._path, name))

    def complain(self, code: str, message: str, name: str | None = None, *, hint: str | None = None) -> None:
        """Add a problem about the key `name` of this table, or about the table itself."""
        path = (*self._path, name) if name is not None else self._path
        key = ".".join(path) or None
        line = self._source.line(path) or self._source.line(self._path)
        told = message if key is None else f"`{key}` {message}" if not message.startswith("pattern") else message
        self._source.problems.add(Problem(code, told, self._source.path, line, key, hint))

    def finish(self) -> None:
        """Complain of every key that nobody asked for, with the nearest name that the format knows."""
        unknown = [name for name in self._values if name not in self._known]
        if not unknown:
            return
        import difflib  # noqa: PLC0415 - only a faulty file pays for it

        for name in unknown[:_UNKNOWN_TOLD]:
            near = difflib.get_close_matches(name, self._known, n=1)
            known = ", ".join(f"`{key}`" for key in self._known)
            hint = f"did you mean `{near[0]}`?" if near else f"known here: {known}"
            self.complain("unknown-key", "is not a key of this format", name, hint=hint)
        if len(unknown) > _UNKNOWN_TOLD:
            self.complain(
                "unknown-key", f"has {len(unknown) - _UNKNOWN_TOLD:,} more keys that this format does not know"
            )

    def _typed(self, name: str, kind: type, *, required: bool = False) -> Any:  # noqa: ANN401 - typed by `kind`
        self._known[name] = None
        if name not in self._values:
            if required:
                self.complain("missing-key", "is missing", name)
            return None
        value = self._values[name]
        # EDGE CASE: a bool is an int to Python, never to a person.
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            self.complain("wrong-type", f"must be {_WORDS[kind]}", name)
            return None
        return value


class Source:
    """A TOML file that is being read: its path, its bytes, and where its problems go."""

    def __init__(self, path: str, data: bytes, problems: Problems) -> None:
        """Name the file `path`; keep `data` for line numbers, and `problems` for complaints."""
        self.path = path
        self.data = data
        self.problems = problems
        self._lines: dict[tuple[str, ...], int] | None = None

    def line(self, path: tuple[str, ...]) -> int | None:
        """The line of the key or header at the keys `path`, where it can be told."""
        if self._lines is None:
            self._lines = key_lines(self.data)
        return self._lines.get(path)

    def table(self) -> Table:
        """
        The file's top table.

        Raises `InputError` where the bytes are no TOML.
        """
        return Table(decode_toml(self.data, self.path), self)
