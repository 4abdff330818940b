"""
Configured commands that give claims; the only place of this half that starts one.

One process per provider and run gets every wanted id in one request on its standard input, and answers on its standard
output (formats.md, Providers). What it writes is hostile input: capped, decoded strictly, and an answer for an id that was
not asked is refused.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any, Final

from snob.errors import InputError, Problem, ProviderError
from snob.ground.clock import monotonic
from snob.ground.documents import decode_json, encode_json
from snob.ground.paths import shown
from snob.review.providers.claims import decode_claim
from snob.review.terms import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from snob.review.settings import ProviderSettings
    from snob.review.terms import Claim

PROTOCOL: Final = 1
OUTPUT_CAP: Final = 64 * 1024 * 1024
"""The most bytes that a provider may answer."""
_SAID_CAP: Final = 4000
_LOOK_EVERY: Final = 0.2
"""Seconds between two looks at how much was written."""


def ask(provider: ProviderSettings, ids: Sequence[str], folder: str) -> dict[str, Claim]:
    """
    The claims of those `ids` that the provider knows; the command runs in `folder`.

    Raises `ProviderError` where it does not start, fails, takes too long, or answers out of form, with what it wrote
    to its standard error.
    """
    request = encode_json({"protocol": PROTOCOL, "claims": sorted(ids)})
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        stdin.write(request)
        stdin.seek(0)
        code = _run(provider, folder, stdin.fileno(), stdout.fileno(), stderr.fileno())
        # The end of what it wrote is what it died of.
        stderr.seek(max(0, os.fstat(stderr.fileno()).st_size - _SAID_CAP))
        said = shown(os.fsdecode(stderr.read(_SAID_CAP)).strip().replace("\n", " "))
        if _over_cap((stdout.fileno(), stderr.fileno())):
            raise _failed(provider, f"wrote more than {OUTPUT_CAP:,} bytes", said)
        if code is None:
            raise _failed(provider, f"did not end within {counted(provider.timeout, 'second')}", said)
        if code < 0:
            raise _failed(provider, f"was ended by {signal.strsignal(-code) or 'a signal'} (signal {-code})", said)
        if code != 0:
            raise _failed(provider, f"ended with {code}", said)
        stdout.seek(0)
        answer = stdout.read()
    return _decode_answer(provider, ids, answer, said)


def _run(provider: ProviderSettings, folder: str, stdin: int, stdout: int, stderr: int) -> int | None:
    """The exit status, None where time ran out; nothing of the process group outlives the call."""
    try:
        process = subprocess.Popen(  # noqa: S603 - the owner of snob.toml configured it; a list, never a shell
            list(provider.command),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            cwd=folder,
            env=_environment(),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
        raise _failed(provider, f"does not start: {shown(provider.command[0])}: {reason}", "") from error
    try:
        return _wait(process, provider.timeout, (stdout, stderr))
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        process.wait()


def _wait(process: subprocess.Popen[bytes], timeout: int, outputs: tuple[int, ...]) -> int | None:
    """As `Popen.wait`, but None where time ran out or too much was written; the caller tells which."""
    end = monotonic() + timeout
    while (left := end - monotonic()) > 0:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(min(left, _LOOK_EVERY))
        if _over_cap(outputs):
            break
    return None


def _over_cap(outputs: Iterable[int]) -> bool:
    return any(os.fstat(output).st_size > OUTPUT_CAP for output in outputs)


def _environment() -> dict[str, str]:
    """The caller's, without what would redirect git or Python (T54, T55)."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PYTHON"))}
    return kept | {"PYTHONSAFEPATH": "1"}


def _decode_answer(provider: ProviderSettings, ids: Sequence[str], answer: bytes, said: str) -> dict[str, Claim]:
    try:
        value: Any = decode_json(answer, f"provider {provider.name}", cap=OUTPUT_CAP)
    except InputError as error:
        raise _failed(provider, f"answered what is {error.problems[0].message}", said) from error
    if not isinstance(value, dict) or value.keys() != {"protocol", "claims"}:
        raise _failed(provider, "answered no object of `protocol` and `claims`", said)
    if type(value["protocol"]) is not int or value["protocol"] != PROTOCOL:
        raise _failed(provider, f"answered in protocol {value['protocol']!r}, not {PROTOCOL}", said)
    claims = value["claims"]
    if not isinstance(claims, dict):
        raise _failed(provider, "answered `claims` that is no object", said)
    wanted = frozenset(ids)
    found = {}
    problems = []
    for claim_id, values in claims.items():
        if claim_id not in wanted:
            problems.append(f"answered for {shown(claim_id)}, which was not asked")
        elif not isinstance(values, dict):
            problems.append(f"answered for {shown(claim_id)} what is no object")
        else:
            claim, faults = decode_claim(values)
            problems += [f"answered for {shown(claim_id)}: {fault.message}" for fault in faults]
            if claim is not None:
                found[claim_id] = claim
    if problems:
        raise ProviderError(*(_problem(provider, message, said) for message in problems))
    return found


def _failed(provider: ProviderSettings, message: str, said: str) -> ProviderError:
    return ProviderError(_problem(provider, message, said))


def _problem(provider: ProviderSettings, message: str, said: str) -> Problem:
    told = f"provider {provider.name} {message}" + (f"; it wrote to standard error: {said}" if said else "")
    hint = f"run it by hand: {shown(shlex.join(provider.command))}"
    return Problem("provider", told, key=f"providers.{provider.name}", hint=hint)
