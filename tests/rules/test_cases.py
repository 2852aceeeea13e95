"""Each case of rules/ runs in torch, raising or not as its rule says; the lines that must be flagged are."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from inplace_lint.checks import registry
from inplace_lint.engine.pipeline import examine
from inplace_lint.project import Settings

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

RULES = Path(__file__).parents[2] / "rules"
CASES = sorted(RULES.glob("*/cases/*.py"))


def name(case: Path) -> str:
    return f"{case.parts[-3][:6]}-{case.stem}"


def raises(case: Path) -> str | None:
    """The words of the error that a bad case must end in, if its rule is one that raises."""
    told = tomllib.loads((case.parents[1] / "rule.toml").read_text(encoding="utf-8"))
    words = told.get("raises")
    return str(words) if words and case.stem.startswith("bad_") else None


@pytest.mark.parametrize("case", CASES, ids=name)
def test_case_in_torch(case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    program = compile(case.read_text(encoding="utf-8"), str(case), "exec")
    words = raises(case)
    if words is None:
        names = {"__name__": "__main__"}
        exec(program, names)
        # What a case calls `changed` is what its rule speaks of.
        assert names.get("changed", case.stem.startswith("bad_")) == case.stem.startswith("bad_")
        return
    with pytest.raises(RuntimeError) as caught:
        exec(program, {"__name__": "__main__"})
    assert words in str(caught.value)


SILENT = [c for c in CASES if "\nsilent = true" in (c.parents[1] / "rule.toml").read_text(encoding="utf-8")]


@pytest.mark.parametrize("case", SILENT, ids=name)
def test_bad_case_of_a_silent_rule_has_wrong_gradients(case: Path) -> None:
    pytest.importorskip("torch")
    from .silence import verdict

    wanted = "silent" if case.stem.startswith("bad_") else "right"
    assert verdict(case.read_text(encoding="utf-8"), str(case)) == wanted


@pytest.mark.parametrize("case", CASES, ids=name)
def test_case_is_flagged_where_it_says(case: Path) -> None:
    source = case.read_bytes()
    expected = {
        (number, line.partition("# expect: ")[2].strip())
        for number, line in enumerate(source.decode("utf-8").splitlines(), 1)
        if "# expect: " in line
    }
    assert bool(expected) == case.stem.startswith("bad_")
    assert all(registry.find(code) for _, code in expected)
    # A rule of notes is asked for them; the cases of other rules are not about notes.
    rule = registry.find(case.parts[-3][:6])
    assert rule is not None
    notes = rule.severity == "note"
    found = examine(str(case), source, Settings(notes=notes))
    if case.stem.startswith("fixed_"):  # made by the tool: what other rules warn of there stays
        found = [one for one in found if one.severity == "error" or one.code == rule.code]
    assert {(one.location.row, one.code) for one in found} == expected
