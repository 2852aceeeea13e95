"""A stand-in for the analysis, so that the tests of the shell do not depend on what PyTorch does."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

import inplace_lint.checks
from inplace_lint.checks import registry
from inplace_lint.cli import main
from inplace_lint.model import Diagnostic, Label, Location
from inplace_lint.project import Project, Settings

Run = Callable[..., tuple[int, str, str]]


def stand_in(
    filename: str, source: bytes, settings: Settings, project: Project, trial: bool = False
) -> list[Diagnostic]:
    """A finding for each call `hazard("CODE", "confidence")`."""
    try:
        tree = ast.parse(source, filename)
    except (SyntaxError, ValueError) as error:
        row = getattr(error, "lineno", 1) or 1
        return [
            Diagnostic(
                "IPL000",
                "unreadable-file",
                "error",
                "certain",
                str(error),
                Location(filename, row, 1, row, 1),
            )
        ]
    found = []
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "hazard"):
            continue
        values = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
        rule = registry.find(str(values[0]))
        assert rule is not None
        place = Location(
            filename, node.lineno, node.col_offset + 1, node.end_lineno or 1, (node.end_col_offset or 0) + 1
        )
        confidence = str(values[1]) if len(values) > 1 else "certain"
        labels = (Label("save", "saved here", Location(filename, 1, 1, 1, 2)),)
        found.append(Diagnostic(rule.code, rule.name, rule.severity, confidence, "hazard", place, labels))
    return sorted(found, key=lambda one: one.location.key())


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Calls the command line in an empty directory; gives its exit code, its output and its errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(inplace_lint.checks, "check_source", stand_in, raising=False)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def call(*argv: str) -> tuple[int, str, str]:
        code = main(argv)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], None]:
    """Writes a file below the working directory of `run`."""

    def write(path: str, text: str) -> None:
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    return write
