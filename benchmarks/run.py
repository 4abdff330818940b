"""
Measures snob beside named references, interleaved in one run, and prints medians, spread and ratios.

`python benchmarks/run.py [--tree FOLDER] [--files N] [--rounds N]`: without `--tree`, one is generated and kept in the
temporary folder. Absolute times mean nothing from one machine to the next; the ratios are the result.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import trees

BIN = Path(sys.executable).parent


class Contestant(NamedTuple):
    """One command, and the contestant whose time its own is divided by."""

    name: str
    argv: list[str]
    reference: str


def contestants(tree: Path, small: Path) -> list[Contestant]:
    """Product and references; those that are not installed are named and left out."""
    snob = str(BIN / "snob")
    listing = tree.parent / "paths0"
    listing.write_bytes(subprocess.run(["git", "ls-files", "-z"], cwd=tree, check=True, capture_output=True).stdout)
    found = [
        Contestant("python -c pass", [sys.executable, "-c", "pass"], "python -c pass"),
        Contestant("snob --version", [snob, "--version"], "python -c pass"),
        Contestant("snob check, 300 files", [snob, "check", "-q", "--project", str(small)], "python -c pass"),
        Contestant("git ls-files", ["git", "ls-files", "-z"], "git status"),
        Contestant("git status", ["git", "status", "--porcelain"], "git status"),
        Contestant(
            "git hash-object",
            ["sh", "-c", f"tr '\\0' '\\n' <{listing} | git hash-object --stdin-paths"],
            "git hash-object",
        ),
        Contestant("snob check --no-cache", [snob, "check", "-q", "--no-cache"], "git hash-object"),
        Contestant("snob check, warm", [snob, "check", "-q"], "git status"),
        Contestant("snob check json, warm", [snob, "check", "-q", "--format", "json"], "git status"),
    ]
    if shutil.which("b3sum"):
        argv = ["sh", "-c", f"xargs -0 b3sum <{listing}"]
        found.append(Contestant("b3sum", argv, "b3sum"))
        found.append(Contestant("snob check --no-cache / b3sum", [snob, "check", "-q", "--no-cache"], "b3sum"))
    else:
        print("b3sum is not installed: its row is missing")
    return found


def measure(field: list[Contestant], tree: Path, rounds: int) -> dict[str, list[float]]:
    """Seconds of each contestant, all of them once a round in shuffled order."""
    times: dict[str, list[float]] = {contestant.name: [] for contestant in field}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") and name != "CI"}
    for number in range(rounds + 1):
        for contestant in random.Random(number).sample(field, len(field)):
            start = time.perf_counter()
            done = subprocess.run(
                contestant.argv, cwd=tree, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment
            )
            elapsed = time.perf_counter() - start
            if done.returncode not in (0, 1):
                raise SystemExit(f"{contestant.name} ended with {done.returncode}: {done.stderr.decode()}")
            if number:
                times[contestant.name].append(elapsed)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", type=Path, help="a repository with policies; else one is generated")
    parser.add_argument("--files", type=int, default=trees.FILES, help="files of the generated tree")
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    os.environ["PATH"] = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    home = Path(tempfile.gettempdir()) / "snob-benchmarks"
    tree = chosen.tree or home / f"tree-{chosen.files}"
    small = home / "tree-300"
    for folder, files in ((tree, chosen.files), (small, 300)):
        if not folder.exists():
            print(f"building {folder}")
            trees.build(folder, files)
    field = contestants(tree.resolve(), small)
    times = measure(field, tree, chosen.rounds)
    medians = {name: statistics.median(found) for name, found in times.items()}
    print(f"{tree}: {chosen.rounds} rounds, {os.cpu_count()} processors, Python {sys.version.split()[0]}")
    print(f"{'':32}{'median ms':>10}{'spread':>8}  ratio")
    for contestant in field:
        found = times[contestant.name]
        spread = (max(found) - min(found)) / medians[contestant.name]
        ratio = medians[contestant.name] / medians[contestant.reference]
        print(
            f"{contestant.name:32}{medians[contestant.name] * 1e3:10.1f}{spread:8.0%}  {ratio:.2f} x {contestant.reference}"
        )


if __name__ == "__main__":
    main()
