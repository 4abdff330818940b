"""The printed architecture holds: every module imports along its row, and every single door is kept."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src/snob"
DRAWING = (ROOT / "docs/architecture.md").read_text()

DOORS = {
    "processes": (
        r"\b(subprocess|os\.(posix_spawn|system|popen|exec\w*))\b",
        {"ground/git.py", "review/providers/command.py", "cli/main.py"},
    ),
    "forks": (r"\bos\.fork\b", {"ground/hashing.py"}),
    "the end of the process": (r"\b(os\._exit|sys\.exit|SystemExit)\b", {"cli/main.py", "ground/hashing.py"}),
    "writing files": (
        r"\bos\.(O_WRONLY|O_RDWR|O_CREAT|replace|rename|link|unlink|remove|mkdir|makedirs|rmdir)\b|\bshutil\b|\bopen\([^)]*['\"][wax]",
        {"ground/files.py"},
    ),
    "the clock": (r"\btime\.(time\w*|monotonic\w*|strftime|gmtime)\b|\.(utc)?now\(|^import time", {"ground/clock.py"}),
    "parsers": (r"^\s*(import|from) (json|tomllib|tomli|msgspec)\b", {"ground/documents.py"}),
    "BLAKE3": (r"^\s*(import|from) blake3\b", {"ground/digests.py"}),
    "printing": (r"\bprint\(|\bsys\.std(out|err)\b", {"cli/console.py", "cli/main.py"}),
    "the environment": (
        r"\bos\.(environ|getenv|putenv)\b",
        {"cli/main.py", "ground/git.py", "review/providers/command.py"},
    ),
}
"""What may be done in few places only: the trace that it leaves in source text, and the modules that may."""


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
        elif isinstance(node, ast.ImportFrom) and node.module:
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


def code(source: str) -> str:
    """A source text without its docstrings and comments, so that only what it does is looked at."""

    class Strip(ast.NodeTransformer):
        def visit_Expr(self, node: ast.Expr) -> ast.AST:
            return ast.Pass() if isinstance(node.value, ast.Constant) else node

    return ast.unparse(Strip().visit(ast.parse(source)))


def broken_doors(module: str, source: str) -> list[str]:
    """The doors that a module walks past."""
    text = code(source)
    return [
        door
        for door, (trace, keepers) in DOORS.items()
        if module not in keepers and re.search(trace, text, re.MULTILINE)
    ]


def modules() -> list[str]:
    """Every module of the package but the empty package files."""
    return sorted(str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if path.name != "__init__.py")


def test_every_module_has_a_row_and_every_row_a_module() -> None:
    assert modules() == sorted(rows())


@pytest.mark.parametrize("module", modules())
def test_a_module_imports_along_its_row_and_keeps_the_doors(module: str) -> None:
    table = rows()
    source = (SOURCE / module).read_text()
    assert set() == imports(source) - allowed(table[module], table)
    assert [] == broken_doors(module, source)


def test_no_import_leads_up_and_none_leads_round() -> None:
    table = rows()
    uses = {module: imports((SOURCE / module).read_text()) for module in table}
    assert [] == [
        (module, other)
        for module, others in uses.items()
        for other in others
        if table[other].floor > table[module].floor
    ]
    order: list[str] = []
    waiting = dict(uses)
    while waiting:
        ready = [module for module, others in waiting.items() if others <= set(order)]
        assert ready, f"a cycle among {sorted(waiting)}"
        order += ready
        for module in ready:
            del waiting[module]


def test_package_files_hold_no_code() -> None:
    for path in SOURCE.rglob("__init__.py"):
        assert len(ast.parse(path.read_text()).body) <= 2, path


@pytest.mark.parametrize(
    "source",
    [
        "import subprocess",
        "import os\nos.fork()",
        "import sys\nsys.exit(1)",
        "import os\nos.replace('a', 'b')",
        "open('x', 'w')",
        "import time\ntime.time()",
        "import json",
        "from blake3 import blake3",
        "print(1)",
        "import os\nos.environ['X']",
    ],
)
def test_the_door_keeper_sees_each_kind_of_breach(source: str) -> None:
    assert [] != broken_doors("review/judge.py", source)


def test_the_floor_keeper_sees_an_import_for_type_checkers() -> None:
    source = "if TYPE_CHECKING:\n    from snob.review.check import Request"
    assert {"review/check.py"} == imports(source)
