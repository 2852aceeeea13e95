"""The script that adds a rule."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

spec = importlib.util.spec_from_file_location("add_rule", ROOT / "scripts/add_rule.py")
assert spec is not None
assert spec.loader is not None
add_rule = importlib.util.module_from_spec(spec)
spec.loader.exec_module(add_rule)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "inplace_lint/checks").mkdir(parents=True)
    (tmp_path / "rules").mkdir()
    for name in ("inplace_lint/__init__.py", "inplace_lint/checks/registry.py"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def rows(root: Path) -> list[tuple[str, str, str, str, str]]:
    """The rows of the table as written, read without importing the copy."""
    import ast

    tree = ast.parse((root / "inplace_lint/checks/registry.py").read_text(encoding="utf-8"))
    return [
        tuple(arg.value for arg in node.args if isinstance(arg, ast.Constant))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Rule"
        and isinstance(node.args[0], ast.Constant)
    ]


@pytest.mark.parametrize("code", ["IPL099", "IPL999"])
def test_rule_is_added_in_order(root: Path, code: str) -> None:
    before = rows(root)
    paths = add_rule.add(root, code, "new-rule", "warning", "Something new.")
    assert all(path.is_file() for path in paths)
    after = rows(root)
    assert sorted(after) == after
    (new,) = set(after) - set(before)
    assert new[:3] == (code, "new-rule", "warning")
    folder = root / "rules" / f"{code}-new-rule"
    assert (
        (folder / "README.md")
        .read_text(encoding="utf-8")
        .startswith(f"# {code} new-rule\n\n## What it does\n")
    )
    assert (root / f"inplace_lint/checks/{code.lower()}_new_rule.py").is_file()


@pytest.mark.parametrize(
    ("code", "name"),
    [("IPL101", "new-rule"), ("IPL999", "leaf-overwritten"), ("E501", "new-rule"), ("IPL999", "New Rule")],
)
def test_what_cannot_be_added_changes_nothing(root: Path, code: str, name: str) -> None:
    before = sorted(root.rglob("*")), rows(root)
    with pytest.raises(ValueError, match=r"already|not `"):
        add_rule.add(root, code, name, "error", "No.")
    assert (sorted(root.rglob("*")), rows(root)) == before
