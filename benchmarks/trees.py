"""
Builds the generated tree that the benchmarks measure: many small files under many rules, with review and claim files.

The same seed gives the same tree. `python benchmarks/trees.py FOLDER [--files N]` builds one by hand.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import subprocess
from pathlib import Path

TOP = ("apps", "docs", "infra", "libs", "packages", "services", "src", "tests", "tools", "web")
INNER = (
    "account", "api", "audit", "batch", "cache", "catalog", "core", "data", "export", "forms", "gateway", "import",
    "jobs", "ledger", "mail", "orders", "pages", "queue", "reports", "rules", "schema", "search", "sync", "widgets",
)  # fmt: skip
STEMS = ("client", "entry", "error", "handler", "index", "loader", "model", "note", "parser", "plan", "store", "view")
SUFFIXES = ("css", "go", "html", "json", "md", "md", "py", "py", "py", "rs", "sh", "sql", "ts", "ts", "tsx", "yaml")
FILES = 100_000
RULES = 150
RECORDS = 20_000


def build(folder: Path, files: int = FILES, seed: int = 2026) -> None:
    """A committed, packed repository: `files` files in up to twelve levels, 150 rules, and records in proportion."""
    random_ = random.Random(seed)
    folder.mkdir(parents=True)
    paths = _paths(random_, files)
    _write_files(folder, random_, paths)
    _write_policies(folder, random_)
    _git(folder, "init", "-q", "-b", "main", ".")
    (folder / "snob.toml").write_text("")
    _write_records(folder, random_, RECORDS * files // FILES)
    _commit(folder, "base")
    for path in random_.sample(paths, files // 100):
        with (folder / path).open("ab") as file:
            file.write(b"edited\n")
    _commit(folder, "one per cent edited")
    _git(folder, "repack", "-adq")


def _paths(random_: random.Random, files: int) -> list[str]:
    folders = list(TOP)
    while len(folders) < max(20, files // 12):
        parent = folders[int(len(folders) * random_.random() ** 0.8)]
        if parent.count("/") < 11:
            folders.append(f"{parent}/{random_.choice(INNER)}{random_.randrange(40) if random_.random() < 0.5 else ''}")
    folders = sorted(set(folders))
    found: set[str] = set()
    while len(found) < files:
        number = random_.randrange(100)
        found.add(f"{random_.choice(folders)}/{random_.choice(STEMS)}{number}.{random_.choice(SUFFIXES)}")
    return sorted(found)


def _write_files(folder: Path, random_: random.Random, paths: list[str]) -> None:
    """Log-normal sizes with a median of two kibibytes."""
    words = ["".join(random_.choices("abcdefghijklmnopqrstuvwxyz", k=random_.randint(2, 9))) for _ in range(5000)]
    text = " ".join(random_.choices(words, k=300_000)).replace(" ", "\n", 20_000).encode()
    for path in paths:
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        size = min(1 << 20, max(24, int(random_.lognormvariate(math.log(2048), 1.0))))
        start = random_.randrange(len(text) - size) if size < len(text) else 0
        target.write_bytes(b"%020d\n" % random_.getrandbits(62) + text[start : start + size - 21])


def _write_policies(folder: Path, random_: random.Random) -> None:
    for policy in range(30):
        lines = []
        for rule in range(RULES // 30):
            match = [_pattern(random_) for _ in range(random_.choice((1, 2, 2, 3)))]
            exclude = [f"**/{random_.choice(INNER)}9/**" for _ in range(random_.randrange(3))]
            lines += [f"[rules.rule-{rule}]", 'description = "generated"', 'review = "look"']
            lines += [f"match = {json.dumps(match)}", f"exclude = {json.dumps(exclude)}", ""]
        target = folder / f"snob/policies/p{policy:02}.toml"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join(lines))


def _pattern(random_: random.Random) -> str:
    top, inner, suffix = random_.choice(TOP), random_.choice(INNER), random_.choice(SUFFIXES)
    return random_.choice(
        (
            f"{top}/**/*.{suffix}",
            f"**/{inner}/**/*.{suffix}",
            f"**/{inner}*/*.{suffix}",
            f"{top}/{inner}*/**",
            f"{top}/*/{inner}/**",
            f"{top}/**/[a-e]*[0-9].{suffix}",
            f"**/{random_.choice(STEMS)}?.{suffix}",
            f"**/{inner}/{random_.choice(STEMS)}*",
        )
    )


def _write_records(folder: Path, random_: random.Random, records: int) -> None:
    """Half review files, half claims that they refer to, current for the first rule that matches where there is one."""
    report = subprocess.run(
        ["snob", "pending", "--format", "json", "--no-cache", "-q"], cwd=folder, capture_output=True, check=True
    )
    first: dict[str, dict[str, object]] = {}
    for row in json.loads(report.stdout)["obligations"]:
        first.setdefault(row["path"], row["subject"])
    for number, path in enumerate(random_.sample(sorted(first), min(records // 2, len(first)))):
        subject = first[path]
        fields = "\n".join(f"{name} = {json.dumps(value)}" for name, value in subject.items())
        claim = folder / f"snob/claims/c{number % 97:02}/{number}.toml"
        claim.parent.mkdir(parents=True, exist_ok=True)
        claim.write_text(f'verdict = "satisfied"\nreviewer = "bench@example.invalid"\n\n[subject]\n{fields}\n')
        review = folder / f"snob/reviews/{path}.review.toml"
        review.parent.mkdir(parents=True, exist_ok=True)
        review.write_text(f'[claims]\n"{subject["rule"]}" = "local:c{number % 97:02}/{number}"\n')


def _commit(folder: Path, message: str) -> None:
    _git(folder, "add", "-A")
    _git(folder, "-c", "user.name=bench", "-c", "user.email=bench@example.invalid", "commit", "-q", "-m", message)


def _git(folder: Path, *argv: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    subprocess.run(["git", "-c", "gc.auto=0", *argv], cwd=folder, check=True, env=environment)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=FILES)
    chosen = parser.parse_args()
    build(chosen.folder, chosen.files)
