"""Whether two states of a file differ in nothing but line ends (`F8`, C1). Pure."""

from __future__ import annotations

from snob.ground.digests import content_hash

HINT = "line-ends"
"""The hint of a difference that is nothing but line ends."""


def hashes_of_other_line_ends(data: bytes) -> frozenset[str]:
    """The content hashes that `data` has with every line ended by LF, and by CRLF."""
    line_feeds = data.replace(b"\r\n", b"\n")
    return frozenset({content_hash(line_feeds), content_hash(line_feeds.replace(b"\n", b"\r\n"))}) - {
        content_hash(data)
    }
