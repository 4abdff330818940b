"""
Bytes to tables, for TOML and JSON, and JSON out; the only importer of their parsers.

The checkout is hostile input (T60): sizes, dots in a key and headers are capped before a parser sees the bytes, and
whatever a parser raises ends as an `InputError` that names the file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from snob.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

RECORD_CAP: Final = 1024 * 1024
"""The most bytes that a record (settings, policy, review file, claim) may have."""
KEY_DOTS: Final = 64
"""The most dots in one TOML key; a parser's time grows with their square."""
HEADERS: Final = 4096
"""The most `[table]` headers in one TOML file."""

_TOKEN = re.compile(
    r"""
      "{3} (?: [^"\\]++ | \\.?+ | "(?!"") )*+ (?: "{3,5}+ )?+   # up to two quotes may stand before the closing three
    | \'{3} (?: [^']++ | '(?!\'\') )*+ (?: \'{3,5}+ )?+
    | "(?: [^"\\\n]++ | \\[^\n]?+ )*+ "?+
    | '[^'\n]*+ '?+
    | \#[^\n]*+
    | [\w-]++
    | [\x20\t]++
    | .
    """,
    re.DOTALL | re.VERBOSE,
)
"""The lexemes of TOML. A string without an end goes on as far as it could, and nothing is tried twice: time is linear."""
_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_AT_LINE = re.compile(r" \(at (?:line \d+, column \d+|end of document)\)$")


def decode_toml(data: bytes, path: str) -> dict[str, Any]:
    """
    The table that a TOML file holds.

    Raises `InputError` where `data` is no UTF-8 or no TOML, or exceeds a cap; `path` names the file in it.
    """
    import tomli  # noqa: PLC0415 - a command that reads no TOML does not pay for the parser

    text = _decode_text(data, path, RECORD_CAP)
    if data.count(b".") > KEY_DOTS and _longest_dotted_key(text) > KEY_DOTS:
        raise _undecodable(path, f"a key has more than {KEY_DOTS} dots")
    if data.count(b"[") > HEADERS and len(_HEADER.findall(text)) > HEADERS:
        raise _undecodable(path, f"there are more than {HEADERS:,} table headers")
    try:
        table = tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        reason = _AT_LINE.sub("", str(error))
        raise _undecodable(path, f"not TOML: {reason}", line=getattr(error, "lineno", None)) from error
    except RecursionError as error:
        raise _undecodable(path, "not TOML that anybody wrote: it is nested too deeply") from error
    except ValueError as error:
        raise _undecodable(path, "not TOML: a number is out of range") from error
    # EDGE CASE: Python prints no integer of more than 4,300 digits, and reads one of any length where its base is a power of two.
    if any(base in text for base in ("0x", "0o", "0b")) and _holds_long_integer(table):
        raise _undecodable(path, "not TOML: a number is out of range")
    return table


def decode_json(data: bytes, path: str, *, cap: int = RECORD_CAP) -> object:
    """
    The value that a JSON document of at most `cap` bytes holds.

    Raises `InputError` where `data` is no UTF-8 or no JSON, repeats a key, is nested too deeply, or holds what cannot be
    written again: an infinite number, or half of a surrogate pair.
    """
    import json  # noqa: PLC0415 - a command that reads no JSON does not pay for the parser

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) != len(pairs):
            last = {name: place for place, (name, _) in enumerate(pairs)}
            twice = next(name for place, (name, _) in enumerate(pairs) if last[name] != place)
            raise _undecodable(path, f"the key {twice!r} stands twice in one object")
        return found

    def refuse_constant(name: str) -> object:
        raise _undecodable(path, f"{name} is no JSON number")

    def finite(digits: str) -> float:
        value = float(digits)
        if value in {float("inf"), float("-inf")}:
            raise _undecodable(path, "not JSON: a number is out of range")
        return value

    text = _decode_text(data, path, cap)
    try:
        value = json.loads(text, object_pairs_hook=unique, parse_constant=refuse_constant, parse_float=finite)
        if _SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise _undecodable(path, f"not JSON: {error.msg}", line=error.lineno) from error
    except RecursionError as error:
        raise _undecodable(path, "not JSON that anybody wrote: it is nested too deeply") from error
    except UnicodeEncodeError as error:
        raise _undecodable(path, "a text holds half of a surrogate pair") from error
    except ValueError as error:
        raise _undecodable(path, "not JSON: a number is out of range") from error
    return value


def encode_json(value: object) -> bytes:
    """`value` as one indented JSON document with a final newline; keys in the order in which they were put."""
    import msgspec  # noqa: PLC0415 - only a command that writes JSON pays for the encoder

    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"


def encode_json_lines(values: Iterable[object]) -> list[bytes]:
    """Each value as one compact JSON document; for reports of many rows."""
    import msgspec  # noqa: PLC0415 - only a command that writes JSON pays for the encoder

    encode = msgspec.json.Encoder().encode
    return [encode(value) for value in values]


def toml_value(value: object) -> str:
    """A text, a boolean or a list of these as TOML writes it on one line, with nothing in it that a terminal obeys."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(map(toml_value, value))}]"
    return '"' + "".join(_toml_character(character) for character in str(value)) + '"'


def _toml_character(character: str) -> str:
    if character in {'"', "\\"}:
        return "\\" + character
    return character if character.isprintable() else f"\\U{ord(character):08x}"


def line_of(data: bytes, name: str) -> int | None:
    """The line, from 1, on which the TOML key or header `name` stands, where exactly one line can be meant."""
    found = {line for path, line in key_lines(data).items() if path[-1] == name}
    return found.pop() if len(found) == 1 else None


def key_lines(data: bytes) -> dict[tuple[str, ...], int]:
    """
    The line, from 1, of each key and header of a TOML file, by its full path; of one that stands several times, the first.

    It is for messages only: a key that is written with an escape is not found.
    """
    lines: dict[tuple[str, ...], int] = {}
    line = 1
    header: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    parts: list[str] = []
    # What is open: whether it is an inline table, else an array, and the path of the key that it is the value of.
    opened: list[tuple[bool, tuple[str, ...]]] = []
    at_key, in_header = True, False
    for match in _TOKEN.finditer(data.decode(errors="replace")):
        lexeme = match.group()
        first = lexeme[0]
        if first == "\n" and not opened:
            parts, at_key, in_header = [], True, False
        elif at_key and _is_part(first):
            parts.append(lexeme.strip(first) if first in "\"'" else lexeme)
        elif at_key and first == "[" and not opened:
            in_header = True
        elif at_key and first in "=]" and parts:
            above = opened[-1][1] if opened else () if in_header else header
            path = (*above, *parts)
            for depth in range(len(above) + 1, len(path) + 1):
                lines.setdefault(path[:depth], line)
            header = path if in_header else header
            parts, at_key = [], False
        elif first in "[{" and not at_key:
            opened.append((first == "{", path if not opened or opened[-1][0] else opened[-1][1]))
            at_key = first == "{"
        elif first in "]}" and opened:
            opened.pop()
            at_key = False
        elif first == ",":
            at_key = bool(opened) and opened[-1][0]
        line += lexeme.count("\n")
    return lines


def _is_part(first: str) -> bool:
    """Whether a lexeme that begins with this character can be a part of a key."""
    return first in "\"'_-" or first.isalnum()


def _decode_text(data: bytes, path: str, cap: int) -> str:
    if len(data) > cap:
        raise InputError(Problem("too-large", f"larger than {cap:,} bytes", path))
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _undecodable(path, "not UTF-8", line=line) from error
    if text.startswith("\ufeff"):
        raise _undecodable(path, "starts with a byte order mark", line=1, hint="save it as UTF-8 without BOM")
    return text


def _longest_dotted_key(text: str) -> int:
    """The most dots that follow a part of a key each, blanks between them or not."""
    longest = dots = 0
    after_part = False
    for match in _TOKEN.finditer(text):
        lexeme = match.group()
        if lexeme[0] in " \t":
            continue
        if lexeme == "." and after_part:
            dots += 1
            longest = max(longest, dots)
            after_part = False
        elif _is_part(lexeme[0]):
            dots = 0 if after_part else dots
            after_part = True
        else:
            dots = 0
            after_part = False
    return longest


def _holds_long_integer(table: dict[str, Any]) -> bool:
    """Whether any integer in it has more than the 64 bits that TOML asks for."""
    waiting: list[Any] = [table]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, int) and value.bit_length() > 64:
            return True
    return False


def _undecodable(path: str, message: str, *, line: int | None = None, hint: str | None = None) -> InputError:
    return InputError(Problem("undecodable", message, path, line, hint=hint))
