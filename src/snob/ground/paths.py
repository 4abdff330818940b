"""
Paths inside a project: relative, POSIX, normalised, and shown so that no terminal obeys them.

A path is a `str` decoded with `surrogateescape`, so every file name that a file system can hold has one; a name
that is not UTF-8 carries surrogates, and `is_utf8` tells.
"""

from __future__ import annotations

import os


def path_fault(path: str) -> str | None:
    """
    Why `path` is no normalised relative path inside a project; None where it is one.

    Refused are an empty path, an absolute one, a drive or a backslash, an empty, `.` or `..` part, a NUL, and any
    part `.git`, whatever its letter case (T26, T66).
    """
    if not path:
        return "it is empty"
    if "\0" in path:
        return "it holds a NUL"
    if path.startswith("/") or (len(path) > 1 and path[1] == ":" and path[0].isalpha()):
        return "it is absolute"
    if "\\" in path:
        return "it holds a backslash; `/` separates folders"
    parts = path.split("/")
    if "" in parts:
        return "it has an empty part"
    if "." in parts:
        return "it has a part `.`"
    if ".." in parts:
        return "it leaves the project by `..`"
    if any(part.lower() == ".git" for part in parts):
        return "it lies in `.git`"
    return None


def is_utf8(path: str) -> bool:
    """Whether the name's bytes are UTF-8, so that it can be hashed, recorded and shown without loss."""
    if path.isascii():
        return True
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def shown(name: str) -> str:
    """
    A name with nothing in it that a terminal obeys or an encoder refuses; distinct names stay distinct (T41).

    A backslash of its own is doubled, so that it cannot be taken for the start of an escape.
    """
    return printable(name.replace("\\", "\\\\")) if "\\" in name else printable(name)


def told(path: str) -> str:
    """A path for machines: itself where it is UTF-8, so that it can be joined with others, else as it is shown."""
    return path if is_utf8(path) else shown(path)


def printable(text: str) -> str:
    r"""
    `text` with control characters, bidirectional marks and surrogates escaped as Python would write them.

    `\x80` and above is a byte that is no UTF-8; the character of that number is `\u0080`, so that the two stay distinct.
    The last guard before a person's screen, whatever a message quotes.
    """
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _escaped(character) for character in text)


def _escaped(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if 0x80 <= code <= 0xFF:
        return f"\\u{code:04x}"
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def on_the_way(path: str) -> list[str]:
    """Every folder above a path, the root left out, and the path itself."""
    found = [path]
    while (slash := path.rfind("/")) > 0:
        path = path[:slash]
        found.append(path)
    return found


def byte_order(path: str) -> bytes:
    """The sort key that orders paths as their bytes, surrogates included."""
    return os.fsencode(path)


def is_below(path: str, directory: str) -> bool:
    """Whether `path` is `directory` or lies below it, as text; the empty directory is the root, above all."""
    return not directory or path == directory or path.startswith(directory + "/")
