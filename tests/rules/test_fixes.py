"""Each fix of rules/: of a bad case it makes the fixed one, which is clean, runs in torch, and computes the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.engine import pipeline
from inplace_lint.engine.pipeline import everything
from inplace_lint.fixes.apply import fix_source
from inplace_lint.model import Diagnostic
from inplace_lint.project import Settings

RULES = Path(__file__).parents[2] / "rules"
BAD = sorted(RULES.glob("*/cases/bad_*.py"))
FIXED = sorted(RULES.glob("*/cases/fixed_*.py"))


def name(case: Path) -> str:
    return f"{case.parts[-3][:6]}-{case.stem}"


def bad_of(case: Path) -> Path:
    return case.with_name(case.name.replace("fixed_", "bad_", 1))


#: Rules whose fixes do not change what a program computes before its backward.
_SAME = ("IPL101", "IPL102", "IPL401", "IPL402", "IPL403", "IPL404")


def without_expectations(source: bytes) -> bytes:
    return b"\n".join(line.partition(b"  # expect: ")[0] for line in source.split(b"\n"))


def fixed_source(case: Path) -> bytes:
    """The case with every fix of its own rule applied."""
    code = case.parts[-3][:6]

    def shown(source: bytes, found: list[Diagnostic]) -> list[Diagnostic]:
        told = pipeline.shown("case.py", source, found, Settings()) if code == "IPL001" else found
        return [one for one in told if one.code == code]

    return fix_source(case.read_bytes(), shown, lint, unsafe=True).source


def lint(source: bytes) -> list[Diagnostic]:
    return everything("case.py", source, Settings())


@pytest.mark.parametrize("case", BAD, ids=name)
def test_fix_of_bad_gives_fixed(case: Path) -> None:
    source, done = case.read_bytes(), fixed_source(case)
    fixed = case.with_name(case.name.replace("bad_", "fixed_", 1))
    assert fixed.exists() == (done != source)
    if fixed.exists():
        assert without_expectations(done) == fixed.read_bytes()
    else:
        # A wrong call of the kernel has no fix by itself: which of two meanings was intended is its author's to say.
        assert all(one.fix_refused or one.help or one.code == "IPL001" for one in lint(source))


@pytest.mark.parametrize("case", FIXED, ids=name)
def test_fixed_case_is_clean_and_stays_as_it_is(case: Path) -> None:
    source, code = case.read_bytes(), case.parts[-3][:6]
    assert bad_of(case).exists()
    assert [one for one in lint(source) if one.code == code or one.severity == "error"] == []
    assert fixed_source(case) == source


@pytest.mark.parametrize("case", FIXED, ids=name)
def test_fixed_case_runs_in_torch(case: Path) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    exec(compile(case.read_bytes(), str(case), "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize("case", [c for c in FIXED if c.parts[-3][:6] in _SAME], ids=name)
def test_fixed_case_starts_backward_from_the_same_values(case: Path) -> None:
    """The bad program runs until its backward; that of the fixed one starts from the same loss."""
    torch = pytest.importorskip("torch")
    roots: list[list[float]] = []

    def record(tensors: object, *args: object, **kwargs: object) -> None:
        roots[-1].extend(float(each.detach().double().sum()) for each in tensors)

    engine = torch.autograd._engine_run_backward
    torch.autograd._engine_run_backward = record
    try:
        for path in (bad_of(case), case):
            roots.append([])
            torch.manual_seed(0)
            exec(compile(path.read_bytes(), str(path), "exec"), {"__name__": "__main__"})
    finally:
        torch.autograd._engine_run_backward = engine
    assert roots[0]
    assert roots[0] == pytest.approx(roots[1], nan_ok=True, abs=1e-5)
