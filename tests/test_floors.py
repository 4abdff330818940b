"""The printed architecture holds: every module imports along its row, and every single door is kept."""

from __future__ import annotations

import ast
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src/snob"
DRAWING = (ROOT / "docs/architecture.md").read_text("utf-8")

DOORS: dict[str, tuple[str, set[str]]] = {
    "processes": (
        "subprocess multiprocessing concurrent asyncio pty os.posix_spawn* os.spawn* os.system os.popen os.exec*",
        {"ground/git.py", "review/providers/command.py", "cli/main.py"},
    ),
    "forks": ("os.fork*", {"ground/hashing.py"}),
    "signals": ("os.kill*", {"ground/hashing.py", "review/providers/command.py"}),
    "the end of the process": ("os.abort sys.exit exit quit SystemExit", {"cli/main.py"}),
    "the end of a worker": ("os._exit", {"cli/main.py", "ground/hashing.py"}),
    "writing files": (
        """
        open(w) os.O_WRONLY os.O_RDWR os.O_CREAT os.O_TRUNC os.O_APPEND os.replace os.rename* os.link os.symlink os.unlink
        os.remove* os.mk[dfn]* os.makedirs os.rmdir os.truncate os.utime os.chmod os.chown shutil pathlib
        tempfile.[!T]* tempfile.TemporaryDirectory
        """,
        {"ground/files.py"},
    ),
    "files without a name": ("tempfile", {"ground/git.py", "review/providers/command.py"}),
    "the clock": ("time datetime.*.now datetime.*.utcnow datetime.*.today", {"ground/clock.py"}),
    "parsers": ("json tomllib tomli msgspec", {"ground/documents.py"}),
    "BLAKE3": ("blake3", {"ground/digests.py"}),
    "printing": ("print sys.stdout sys.stderr sys.__stdout__ sys.__stderr__", {"cli/console.py", "cli/main.py"}),
    "the environment": (
        "os.environ* os.getenv* os.putenv os.unsetenv",
        {"cli/main.py", "ground/git.py", "review/providers/command.py"},
    ),
    "imports that cannot be seen": ("importlib runpy __import__ eval exec", set()),
}
"""What may be done in few places only: the names that do it, whatever they were imported as, and the modules that may."""


class Row(NamedTuple):
    """A row of the drawing."""

    module: str
    floor: int
    may: str


def rows() -> dict[str, Row]:
    """The rows of the drawing, by module."""
    block = DRAWING.split("## The floors", 1)[1].split("```", 2)[1]
    found = {}
    floor = -1
    for text in block.splitlines():
        if text.startswith("── floor"):
            floor = int(text.split()[2].rstrip(":"))
        elif "←" in text:
            module = text.split()[0]
            found[module] = Row(module, floor, text.rpartition("←")[2].strip())
    return found


def allowed(row: Row, table: dict[str, Row]) -> set[str]:
    """The modules that a row lets its module import."""
    folder = row.module.rpartition("/")[0]
    found: set[str] = set()
    for name in () if row.may == "nothing" else row.may.split(", "):
        if name == "ground":
            found |= {module for module in table if module.startswith("ground/")}
        elif name.startswith("everything in "):
            found |= {module for module in table if module.startswith(name.removeprefix("everything in ") + "/")}
            found |= {module for module in table if module.startswith("ground/")} | {"errors.py"}
        else:
            near = [
                f"{folder}/{name}.py",
                f"{folder.partition('/')[0]}/{name}.py",
                f"review/providers/{name}.py",
                f"ground/{name}.py",
            ]
            choices = [
                module for module in (*near, f"review/{name}.py", f"cli/{name}.py", f"{name}.py") if module in table
            ]
            assert choices, f"{row.module}: no module is called {name}"
            found.add(choices[0])
    return found


def imports(source: str) -> set[str]:
    """The modules of snob that a source text imports, those for type checkers too."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "a relative import hides what it leads to"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] != "snob":
                continue
            for depth in range(len(parts), 1, -1):
                module = "/".join(parts[1:depth]) + ".py"
                if (SOURCE / module).exists():
                    found.add(module)
                    break
    return found


def uses(source: str) -> set[str]:
    """
    The full names that a source text imports and uses.

    An alias counts as what it stands for. A file opened in a mode that is not plainly for reading is `open(w)`.
    """
    tree = ast.parse(source)
    stands_for: dict[str, str] = {}
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
            stands_for |= {alias.asname: alias.name for alias in node.names if alias.asname}
        elif isinstance(node, ast.ImportFrom):
            full = {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
            found |= set(full.values())
            stands_for |= full

    def name(node: ast.expr) -> str:
        if isinstance(node, ast.Attribute):
            return f"{name(node.value)}.{node.attr}"
        return stands_for.get(node.id, node.id) if isinstance(node, ast.Name) else "?"

    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute):
            found.add(name(node))
        elif isinstance(node, ast.Call) and name(node.func) in {"open", "io.open", "os.fdopen"}:
            modes = [*node.args[1:2], *(word.value for word in node.keywords if word.arg == "mode")]
            if any(not isinstance(mode, ast.Constant) or set("wax+") & set(str(mode.value)) for mode in modes):
                found.add("open(w)")
    return found


def broken_doors(module: str, source: str) -> list[str]:
    """The doors that a module walks past."""
    used = uses(source)
    return [
        door
        for door, (names, keepers) in DOORS.items()
        if module not in keepers
        and any(fnmatchcase(use, name) or fnmatchcase(use, f"{name}.*") for use in used for name in names.split())
    ]


def modules() -> list[str]:
    """Every module of the package but the empty package files."""
    return sorted(str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if path.name != "__init__.py")


def test_every_module_has_a_row_and_every_row_a_module() -> None:
    assert modules() == sorted(rows())


@pytest.mark.parametrize("module", modules())
def test_a_module_imports_along_its_row_and_keeps_the_doors(module: str) -> None:
    table = rows()
    source = (SOURCE / module).read_text("utf-8")
    assert set() == imports(source) - allowed(table[module], table)
    assert [] == broken_doors(module, source)


def test_no_import_leads_up_and_none_leads_round() -> None:
    table = rows()
    needs = {module: imports((SOURCE / module).read_text("utf-8")) for module in table}
    assert [] == [
        (module, other)
        for module, others in needs.items()
        for other in others
        if table[other].floor > table[module].floor
    ]
    order: list[str] = []
    waiting = dict(needs)
    while waiting:
        ready = [module for module, others in waiting.items() if others <= set(order)]
        assert ready, f"a cycle among {sorted(waiting)}"
        order += ready
        for module in ready:
            del waiting[module]


def test_package_files_hold_no_code() -> None:
    for path in SOURCE.rglob("__init__.py"):
        assert len(ast.parse(path.read_text("utf-8")).body) <= 2, path


@pytest.mark.parametrize(
    "source",
    [
        "import subprocess",
        "from concurrent.futures import ProcessPoolExecutor",
        "import os\nos.fork()",
        "import sys\nsys.exit(1)",
        "from sys import exit as leave\nleave(1)",
        "raise SystemExit(1)",
        "import os\nos._exit(1)",
        "exit(1)",
        "import os\nos.replace('a', 'b')",
        "import os as o\no.unlink('a')",
        "from os import symlink\nsymlink('a', 'b')",
        "open('x', 'w')",
        "open(folder(x), mode='r+')",
        "open('x', mode)",
        "from pathlib import Path",
        "import time\ntime.time()",
        "def f():\n    from time import monotonic",
        "from datetime import datetime\ndatetime.now()",
        "import json",
        "import re, json.decoder",
        "from blake3 import blake3",
        "print(1)",
        "from sys import stdout",
        "import os\nos.environ['X']",
        "from os import environ",
        "__import__('json')",
    ],
)
def test_the_door_keeper_sees_each_kind_of_breach(source: str) -> None:
    assert [] != broken_doors("review/judge.py", source)


@pytest.mark.parametrize(
    "source", ["open('wax')", "open('x', 'rb')", "from datetime import datetime", "name.replace('a', 'b')", "'print'"]
)
def test_the_door_keeper_lets_the_rest_pass(source: str) -> None:
    assert [] == broken_doors("review/judge.py", source)


@pytest.mark.parametrize("source", ["from . import check", "from .check import Request", "from ..ground import git"])
def test_the_floor_keeper_refuses_relative_imports(source: str) -> None:
    with pytest.raises(AssertionError, match="relative import"):
        imports(source)


def test_the_floor_keeper_sees_an_import_for_type_checkers() -> None:
    source = "if TYPE_CHECKING:\n    from snob.review.check import Request"
    assert {"review/check.py"} == imports(source)
