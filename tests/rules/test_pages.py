"""Every rule has its folder, its page and its cases, and the table of rules says what the folders say."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from inplace_lint.checks import registry
from inplace_lint.model import SEVERITIES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

RULES = Path(__file__).parents[2] / "rules"
FOLDERS = sorted(path for path in RULES.iterdir() if path.is_dir())
HEADINGS = ["What it does", "Why is this bad", "Example", "Use instead", "Fix safety"]

#: They speak of files and of the tool itself, not of code that a case could hold.
WITHOUT_CASES = {"IPL000", "IPL002", "IPL003"}


def described(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "rule.toml").read_text(encoding="utf-8"))


def test_folders_and_table_are_one_to_one() -> None:
    assert [folder.name for folder in FOLDERS] == [f"{rule.code}-{rule.name}" for rule in registry.RULES]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_table_repeats_the_folder(folder: Path) -> None:
    told = described(folder)
    rule = registry.find(told["code"])
    assert rule is not None
    assert (rule.name, rule.severity, rule.since, rule.summary) == (
        told["name"],
        told["severity"],
        told["since"],
        told["summary"],
    )
    assert rule.severity in SEVERITIES
    assert folder.name == f"{told['code']}-{told['name']}"


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_page_has_the_headings_in_order(folder: Path) -> None:
    lines = (folder / "README.md").read_text(encoding="utf-8").splitlines()
    code, _, name = folder.name.partition("-")
    assert lines[0] == f"# {code} {name}"
    assert [line[3:] for line in lines if line.startswith("## ")] == HEADINGS
    assert max(map(len, lines)) <= 120


@pytest.mark.parametrize(
    "folder",
    [folder for folder in FOLDERS if folder.name[:6] not in WITHOUT_CASES],
    ids=lambda folder: folder.name,
)
def test_rule_has_bad_and_good_cases(folder: Path) -> None:
    assert len(list(folder.glob("cases/bad_*.py"))) >= 3
    assert len(list(folder.glob("cases/good_*.py"))) >= 3
    assert not [
        path for path in folder.glob("cases/*.py") if not path.name.startswith(("bad_", "good_", "fixed_"))
    ]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_examples_of_the_page_are_python(folder: Path) -> None:
    page = (folder / "README.md").read_text(encoding="utf-8")
    blocks = [block.split("```")[0] for block in page.split("```python\n")[1:]]
    if folder.name.startswith("IPL000"):
        # Its example is the one that must not be.
        with pytest.raises(SyntaxError):
            compile(blocks.pop(0), str(folder), "exec")
    for block in blocks:
        compile(block, str(folder), "exec")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_page_says_that_there_is_no_fix_where_there_is_none(folder: Path) -> None:
    """`tests/rules/test_fixes.py` holds the fixed cases to what the fix makes, so they say whether there is one."""
    section = (folder / "README.md").read_text(encoding="utf-8").partition("## Fix safety\n\n")[2]
    has_fix = any(folder.glob("cases/fixed_*.py"))
    assert section.startswith(("There is no fix", "There is no automatic fix")) is not has_fix
