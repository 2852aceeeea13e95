"""The cases of every rule, run under the tracer: bad ones give a finding at a marked line, good ones give nothing."""

from __future__ import annotations

import re
import runpy
import warnings
from pathlib import Path

import pytest
import torch

from inplace_lint.runtime.tracer import Trace

RULES = Path(__file__).parents[2] / "rules"
BAD = sorted(RULES.glob("IPL10*/cases/bad_*.py"))
GOOD = sorted(RULES.glob("IPL10*/cases/good_*.py"))
#: PyTorch's message for the two is the same.
ALIKE = {"IPL108": "IPL104"}


def trace(path: Path) -> tuple[BaseException | None, Trace]:
    torch.manual_seed(0)
    tracer = Trace(on_hazard=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with tracer:
                runpy.run_path(str(path), run_name="__main__")
        except Exception as error:
            return error, tracer
        finally:
            torch.set_grad_enabled(True)
    return None, tracer


def name(path: Path) -> str:
    return f"{path.parts[-3][:6]}-{path.stem}"


@pytest.mark.parametrize("path", BAD, ids=name)
def test_bad_case_is_found_where_it_is_marked(path: Path) -> None:
    marked = {
        (row, ALIKE.get(mark[1], mark[1]))
        for row, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (mark := re.search(r"# expect: (IPL\d+)", line))
    }
    error, tracer = trace(path)
    assert error is not None
    seen = set()
    for finding in tracer.diagnostics:
        # Where a helper writes, `check` reports the call and the tracer the helper's line: the stack has both.
        seen.add((finding.location.row, ALIKE.get(finding.code, finding.code)))
    for hazard in tracer.hazards:
        rows = {line for write in hazard.writes for _, line in _rows(write.stack)}
        seen |= {(row, code) for row in rows for _, code in list(seen)}
    assert marked & seen, f"{marked} is not in\n{tracer.report()}"


@pytest.mark.parametrize("path", GOOD, ids=name)
def test_good_case_gives_nothing(path: Path) -> None:
    error, tracer = trace(path)
    assert error is None
    assert not tracer.diagnostics, tracer.report()


def _rows(stack: object) -> list[tuple[str, int]]:
    from inplace_lint.runtime.stacks import rows

    return rows(stack)
