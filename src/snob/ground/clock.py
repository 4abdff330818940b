"""The only reader of the clock."""

from __future__ import annotations

import time


def utc_now() -> str:
    """Now in UTC as ISO 8601 with microseconds and `Z`, such as `2026-11-30T12:00:00.000000Z`."""
    nanoseconds = time.time_ns()
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(nanoseconds // 1_000_000_000))
    return f"{whole}.{nanoseconds // 1000 % 1_000_000:06d}Z"


def monotonic() -> float:
    """Seconds from an arbitrary start; only differences mean something."""
    return time.monotonic()
