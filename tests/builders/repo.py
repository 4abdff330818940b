"""A project built step by step, and the real command run in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

SNOB = Path(sys.executable).parent / "snob"
"""The installed console script: what a user runs."""


class Ran(NamedTuple):
    """How a run of the command ended."""

    code: int
    out: str
    err: str

    def exits(self, code: int) -> Ran:
        """Itself, where the exit status is `code`; fails with all that was printed where it is not."""
        assert code == self.code, f"exit status {self.code}, not {code}\n--- out\n{self.out}\n--- err\n{self.err}"
        return self

    def json(self) -> Any:
        """The JSON document on standard output."""
        return json.loads(self.out)

    def statuses(self) -> dict[tuple[str, str], str]:
        """(path, rule) → status, of a JSON report."""
        return {(row["path"], row["rule"]): row["status"] for row in self.json()["obligations"]}

    def error_codes(self) -> list[str]:
        """The codes of a JSON error report."""
        return [error["code"] for error in self.json()["errors"]]

    def notice_codes(self) -> list[str]:
        """The codes of the notices of a JSON report."""
        return [notice["code"] for notice in self.json()["notices"]]


class Repo:
    """A project folder, in git or not."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def new(cls, root: Path) -> Repo:
        """A new repository on the branch `main`."""
        root.mkdir(parents=True)
        repo = cls(root)
        repo.git("init", "-q", "-b", "main", ".")
        return repo

    def git(self, *argv: str) -> str:
        """Run git here; fails the test where git does."""
        identity = {"AUTHOR": "Test", "COMMITTER": "Test"}
        names = {f"GIT_{role}_NAME": name for role, name in identity.items()}
        emails = {f"GIT_{role}_EMAIL": "test@example.invalid" for role in identity}
        dates = {f"GIT_{role}_DATE": "2026-01-01T00:00:00Z" for role in identity}
        done = subprocess.run(
            ["git", *argv],
            cwd=self.root,
            env={**os.environ, **names, **emails, **dates},
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        return os.fsdecode(done.stdout).strip()

    def write(self, path: str | bytes, content: str | bytes = "") -> Repo:
        """Write a file, and the folders above it."""
        target = Path(os.fsdecode(os.path.join(os.fsencode(self.root), os.fsencode(path))))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
        return self

    def remove(self, *paths: str) -> Repo:
        """Remove files."""
        for path in paths:
            (self.root / path).unlink()
        return self

    def symlink(self, path: str, target: str) -> Repo:
        """Make a symbolic link."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).symlink_to(target)
        return self

    def commit(self, message: str = "step") -> str:
        """Commit all that is there; the commit id."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def policy(
        self,
        name: str = "p",
        *,
        match: str = '["src/**"]',
        rule: str = "r",
        level: str = "error",
        extra: str = "",
        more: str = "",
    ) -> Repo:
        """Write a policy with one rule; `extra` stands at the top, `more` in the rule."""
        text = f'match = {match}\n{extra}\n[rules.{rule}]\nlevel = "{level}"\ndescription = "what"\nreview = "how"\n{more}\n'
        return self.write(f"snob/policies/{name}.toml", text)

    def snob(
        self,
        *argv: str,
        cwd: str = ".",
        env: dict[str, str] | None = None,
        input: str | None = None,  # noqa: A002
    ) -> Ran:
        """Run the installed command here, as a user would."""
        done = subprocess.run(
            [str(SNOB), *argv],
            cwd=self.root / cwd,
            env={**os.environ, **(env or {})},
            input=input.encode() if input is not None else None,
            stdin=subprocess.DEVNULL if input is None else None,
            capture_output=True,
            check=False,
            timeout=120,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def subject(self, path: str, rule: str = "p/r", *argv: str) -> dict[str, Any]:
        """The expected subject of an obligation that is owed."""
        report = self.snob("pending", "--format", "json", *argv).exits(0).json()
        return next(row["subject"] for row in report["obligations"] if (row["path"], row["rule"]) == (path, rule))

    def claim(
        self, claim_id: str, subject: dict[str, Any] | None, *, verdict: str = "satisfied", more: str = ""
    ) -> Repo:
        """Write a claim by hand, as the format page says."""
        lines = [f'verdict = "{verdict}"', 'reviewer = "alex@example.org"', "reviewed_at = 2026-11-30T12:00:00Z", more]
        if subject is not None:
            flat = {field: value for field, value in subject.items() if field != "context"}
            lines += ["[subject]", *(f"{field} = {json.dumps(value)}" for field, value in flat.items())]
            if "context" in subject:
                lines += ["[subject.context]", *(f"{k} = {json.dumps(v)}" for k, v in subject["context"].items())]
        return self.write(f"snob/claims/{claim_id}.toml", "\n".join(lines) + "\n")

    def entry(self, path: str, reference: str, rule: str = "p/r", *, extra: str = "") -> Repo:
        """Write the review file of `path` with one entry."""
        return self.write(f"snob/reviews/{path}.review.toml", f'{extra}\n[claims]\n"{rule}" = "{reference}"\n')

    def reviewed(self, path: str, rule: str = "p/r", claim_id: str = "c") -> Repo:
        """Record a satisfied claim for the current subject of an obligation."""
        return self.claim(claim_id, self.subject(path, rule)).entry(path, f"local:{claim_id}", rule)

    def status(self, path: str, rule: str = "p/r", *argv: str) -> str:
        """The status of one obligation."""
        return self.snob("check", "--format", "json", *argv).statuses()[path, rule]

    def digest(self) -> dict[str, tuple[int, bytes]]:
        """Every file below the root with its mtime and bytes, the git directory's too: what must not move."""
        return {
            str(file.relative_to(self.root)): (file.stat().st_mtime_ns, file.read_bytes())
            for file in sorted(self.root.rglob("*"))
            if file.is_file() and not file.is_symlink()
        }
