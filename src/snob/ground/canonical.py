"""
One unambiguous encoding for anything that gets hashed (T51).

A text or byte string is framed as its length in bytes, eight bytes little-endian, and then its bytes; a list as the
number of its items, framed the same way, and then its items. So no two different inputs have one encoding, whatever
characters they hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def frame(item: bytes) -> bytes:
    """`item` behind its length."""
    return len(item).to_bytes(8, "little") + item


def encode(tag: str, *fields: str | Sequence[str]) -> bytes:
    """
    The encoding of a record: `tag`, which names the kind and its version, and then each field.

    Raises `UnicodeEncodeError` where a text is not UTF-8; callers refuse such names before they hash.
    """
    out = [frame(tag.encode())]
    for field in fields:
        if isinstance(field, str):
            out.append(frame(field.encode()))
        else:
            out.append(len(field).to_bytes(8, "little"))
            out.extend(frame(item.encode()) for item in field)
    return b"".join(out)
