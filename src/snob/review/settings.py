"""`snob.toml`: the layout, what is never a candidate, and the providers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from snob.ground.documents import RECORD_CAP
from snob.ground.paths import is_below, path_fault
from snob.ground.tables import Source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from snob.errors import Problems
    from snob.ground.snapshots import Snapshot
    from snob.ground.tables import Table

FILE: Final = "snob.toml"
LOCAL: Final = "local"
"""The provider that is always there: claims kept in the repository."""
PROVIDER_TIMEOUT: Final = 60
"""Seconds that a provider may take where `timeout` is not given."""
_TIMEOUT_CAP: Final = 3600
_PROVIDER_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*\Z")


class ProviderSettings(NamedTuple):
    """A provider that is a command."""

    name: str
    command: tuple[str, ...]
    timeout: int
    """Seconds."""
    files: tuple[str, ...]
    """The project's files that the command needs."""


class Settings(NamedTuple):
    """What `snob.toml` says; the defaults where there is none."""

    ignore: tuple[str, ...] = ()
    """Patterns of files that are never candidates."""
    policies: str = "snob/policies"
    reviews: str = "snob/reviews"
    claims: str = "snob/claims"
    providers: Mapping[str, ProviderSettings] = {}


def read_settings(snapshot: Snapshot, problems: Problems) -> Settings:
    """
    The settings of a snapshot; the defaults where it has no `snob.toml`.

    Everything that is wrong with the file goes to `problems`. Raises `FileError` where it cannot be read.
    """
    if snapshot.kind(FILE) is None:
        return Settings()
    return decode_settings(snapshot.read(FILE, RECORD_CAP), FILE, problems)


def decode_settings(data: bytes, path: str, problems: Problems) -> Settings:
    """The settings that `data`, the bytes of the file `path`, give."""
    source = Source(path, data, problems)
    table = source.table()
    ignore = table.globs("ignore") or ()
    layout = _read_layout(table.table("paths"))
    providers = _read_providers(table.table("providers"))
    table.finish()
    return Settings(ignore, *layout, providers)


def _read_layout(table: Table | None) -> tuple[str, str, str]:
    default = Settings()
    defaults = {"policies": default.policies, "reviews": default.reviews, "claims": default.claims}
    if table is None:
        return default.policies, default.reviews, default.claims
    chosen = {}
    for name, fallback in defaults.items():
        path = table.text(name)
        fault = path_fault(path) if path is not None else None
        if fault is not None:
            table.complain("invalid-value", f"{path!r} cannot be a folder of the project: {fault}", name)
            path = None
        chosen[name] = path if path is not None else fallback
    for name, path in chosen.items():
        for other, other_path in chosen.items():
            if name < other and (is_below(path, other_path) or is_below(other_path, path)):
                table.complain("invalid-value", f"{path!r} and `{other}` {other_path!r} lie inside one another", name)
    table.finish()
    return chosen["policies"], chosen["reviews"], chosen["claims"]


def _read_providers(table: Table | None) -> dict[str, ProviderSettings]:
    if table is None:
        return {}
    providers = {}
    for name in table:
        entry = table.table(name)
        if entry is None:
            continue
        if name == LOCAL:
            entry.complain("invalid-value", "is reserved for the claims that are kept in the repository")
        elif not _PROVIDER_NAME.match(name):
            entry.complain("invalid-value", "is no provider name: use small letters, digits, `.`, `_` and `-`")
        command = entry.texts("command")
        if command is None and "command" not in entry:
            entry.complain("missing-key", "is missing", "command")
        elif command is not None and (not command or not command[0] or any("\0" in word for word in command)):
            entry.complain("invalid-value", "must name a program and its arguments", "command")
        timeout = entry.number("timeout")
        if timeout is not None and not 1 <= timeout <= _TIMEOUT_CAP:
            entry.complain("invalid-value", f"must be from 1 to {_TIMEOUT_CAP} seconds", "timeout")
        files = entry.texts("files") or ()
        for file in files:
            if (fault := path_fault(file)) is not None:
                entry.complain("invalid-value", f"{file!r} is no path in the project: {fault}", "files")
        entry.finish()
        providers[name] = ProviderSettings(name, command or (), timeout or PROVIDER_TIMEOUT, files)
    return providers
