"""
BLAKE3 digests, written as `ALGORITHM:HEX`; the only importer of `blake3`.

The kind of a file is part of its hash (formats.md, Candidates): `blake3:` is over the bytes of a regular file,
`blake3-symlink:` over a link's target, `blake3-gitlink:` over the hexadecimal commit id of a submodule. A change of
kind is therefore changed content, even where the bytes are equal (T35, T37).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from blake3 import blake3

from snob.ground.canonical import frame

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

REGULAR: Final = "blake3:"
SYMLINK: Final = "blake3-symlink:"
GITLINK: Final = "blake3-gitlink:"
SET_TAG: Final = "snob context digest v1"
"""What a context digest is of; a new version of its serialisation is a new tag, and voids every claim with context."""
_SET_HEAD: Final = frame(SET_TAG.encode())

_WRITTEN = re.compile(r"blake3(?:-symlink|-gitlink)?:[0-9a-f]{64}\Z")

hasher = blake3
"""A running BLAKE3 over bytes: `hasher(data)`, `.update(data)`, `.digest()`."""


def digest_bytes(data: bytes) -> bytes:
    """The 32 raw bytes of BLAKE3 over `data`."""
    return blake3(data).digest()


def written(raw: bytes, prefix: str = REGULAR) -> str:
    """The text form of a raw digest."""
    return prefix + raw.hex()


def content_hash(data: bytes, prefix: str = REGULAR) -> str:
    """The content hash of `data`, a file's bytes, a link's target or a commit id (`F21`)."""
    return prefix + blake3(data).hexdigest()


def is_digest(text: object) -> bool:
    """Whether `text` is a digest as this module writes it."""
    return isinstance(text, str) and _WRITTEN.match(text) is not None


def pair_frame(path: str, content: str) -> bytes:
    """One (path, content hash) pair as a context digest takes it."""
    return frame(path.encode()) + frame(content.encode())


def bucket_of(path: str) -> int:
    """The bucket, 0 to 255, of a path in a context digest: the first byte of BLAKE3 over the path."""
    return blake3(path.encode()).digest(1)[0]


def bucket_digest(frames: Iterable[bytes]) -> bytes:
    """The framed BLAKE3 over the pair frames of one bucket, which come in byte order of their paths."""
    return frame(blake3(b"".join(frames)).digest())


EMPTY_BUCKET: Final = bucket_digest(())


def set_digest(buckets: Sequence[bytes]) -> str:
    """The context digest over the framed digests of all 256 buckets (`F22`)."""
    return REGULAR + blake3(_SET_HEAD + b"".join(buckets)).hexdigest()
