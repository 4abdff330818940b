"""A table tells all that is wrong with it, where, and what would be right."""

from __future__ import annotations

from typing import Any

import pytest

from snob.errors import InputError, Problem, Problems
from snob.ground.tables import Source, Table


def read(text: str) -> tuple[Table, Problems]:
    """The top table of a file, and where its problems go."""
    problems = Problems()
    return Source("f.toml", text.encode(), problems).table(), problems


def told(problems: Problems) -> list[Problem]:
    """The problems in the order in which a run tells them."""
    with pytest.raises(InputError) as caught:
        problems.raise_any()
    return list(caught.value.problems)


def test_values_of_the_right_type_are_given_and_nothing_is_said() -> None:
    table, problems = read('t = "x"\nf = true\nn = 3\nl = ["a", "b"]\ng = ["src/**"]\n[s]\nr = 1.5\n')
    inner = table.table("s")
    assert inner is not None
    found: list[Any] = [table.text("t"), table.flag("f"), table.number("n"), table.texts("l"), table.globs("g")]
    assert ["x", True, 3, ("a", "b"), ("src/**",)] == found
    assert 1.5 == inner.raw("r")
    assert ["t", "f", "n", "l", "g", "s"] == list(table)
    assert "t" in table
    assert "x" not in table
    inner.finish()
    table.finish()
    problems.raise_any()


def test_what_is_absent_is_none_and_no_problem_unless_it_is_required() -> None:
    table, problems = read("")
    absent: list[Any] = [table.text("a"), table.number("a"), table.texts("a"), table.globs("a"), table.table("a")]
    assert [None] * 5 == absent
    assert False is table.flag("a")
    assert None is table.raw("a")
    assert not problems
    assert None is table.text("b", required=True)
    assert [Problem("missing-key", "`b` is missing", "f.toml", None, "b")] == told(problems)


@pytest.mark.parametrize(
    ("method", "value", "message"),
    [
        ("text", "1", "must be a string"),
        ("text", "[]", "must be a string"),
        ("flag", '"true"', "must be true or false"),
        ("flag", "1", "must be true or false"),
        ("number", "true", "must be a whole number"),
        ("number", "1.0", "must be a whole number"),
        ("number", "2026-01-01", "must be a whole number"),
        ("texts", '"a"', "must be a list"),
        ("texts", '["a", 1]', "must be a list of strings"),
        ("globs", "{}", "must be a list"),
        ("table", "[]", "must be a table"),
        ("table", '"a"', "must be a table"),
    ],
)
def test_a_value_of_another_type_is_told_with_its_line(method: str, value: str, message: str) -> None:
    table, problems = read(f"\nk = {value}\n")
    assert not getattr(table, method)("k")
    assert [Problem("wrong-type", f"`k` {message}", "f.toml", 2, "k")] == told(problems)


def test_a_bad_pattern_is_told_and_the_good_ones_are_kept() -> None:
    table, problems = read('g = ["src/**", "/abs", "a\\\\b", "ok"]\n')
    assert ("src/**", "ok") == table.globs("g")
    assert [("invalid-value", 1, "g")] * 2 == [(p.code, p.line, p.key) for p in told(problems)]
    assert all(p.message.startswith("pattern ") for p in told(problems))


@pytest.mark.parametrize(
    ("name", "hint"),
    [("contxt", "did you mean `context`?"), ("zzz", "known here: `match`, `context`")],
)
def test_an_unknown_key_is_told_with_the_nearest_known_one(name: str, hint: str) -> None:
    table, problems = read(f"match = []\n{name} = 1\n")
    table.texts("match")
    table.texts("context")
    table.finish()
    expected = Problem("unknown-key", f"`{name}` is not a key of this format", "f.toml", 2, name, hint)
    assert [expected] == told(problems)


@pytest.mark.req("T60")
def test_a_file_full_of_unknown_keys_is_told_in_few_lines() -> None:
    table, problems = read("[s]\n" + "".join(f"k{number} = 1\n" for number in range(60_000)))
    inner = table.table("s")
    assert inner is not None
    inner.text("known")
    inner.finish()
    found = told(problems)
    assert 21 == len(found)
    assert "`s` has 59,980 more keys that this format does not know" == found[0].message


@pytest.mark.req("T60")
def test_thousands_of_complaints_cost_one_search_for_their_lines() -> None:
    table, problems = read("[s]\n" + "".join(f"k{number} = 1\n" for number in range(60_000)))
    inner = table.table("s")
    assert inner is not None
    for name in inner:
        inner.text(name)
    inner.finish()
    assert list(range(2, 60_002)) == [problem.line for problem in told(problems)]


def test_the_line_is_that_of_the_key_in_its_own_table() -> None:
    table, problems = read('[rules.a]\nlevel = "x"\n[rules."b.c"]\n\nlevel = 1\n[rules.d]\ndots = { level = 2 }\n')
    rules = table.table("rules")
    assert rules is not None
    for name in rules:
        rule = rules.table(name)
        assert rule is not None
        rule.text("level")
        if "dots" in rule:
            dots = rule.table("dots")
            assert dots is not None
            dots.text("level")
            rule.complain("invalid-value", "is odd")
            rule.text("gone", required=True)
    found = [(p.key, p.line) for p in told(problems)]
    expected = [("rules.b.c.level", 5), ("rules.d", 6), ("rules.d.gone", 6), ("rules.d.dots.level", 7)]
    assert expected == found


def test_the_top_table_itself_has_no_key_and_no_line() -> None:
    table, problems = read("a = 1\n")
    table.complain("misplaced", "does not belong here")
    assert [Problem("misplaced", "does not belong here", "f.toml")] == told(problems)


@pytest.mark.req("T60")
def test_a_file_that_is_no_toml_has_no_table() -> None:
    with pytest.raises(InputError):
        read("a = ")


def test_problems_are_told_once_and_in_order() -> None:
    problems = Problems()
    problems.raise_any()
    for path, line in (("b", 2), ("a", 1), ("b", 1), ("b", 2)):
        problems.add(Problem("usage", "m", path, line))
    assert [("a", 1), ("b", 1), ("b", 2)] == [(problem.path, problem.line) for problem in told(problems)]
