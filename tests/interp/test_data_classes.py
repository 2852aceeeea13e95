"""What a record's annotations mean is told by what their names stand for, not by how they are written."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from types import ModuleType

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project import Project, Settings

PROGRAM = """
import dataclasses
import typing
from dataclasses import KW_ONLY as AFTER, InitVar as Given
from typing import ClassVar as Shared

import torch


class InitVarious:
    pass


@dataclasses.dataclass
class Pair:
{fields}

    def __post_init__(self, *given):
        self.given = given


def f(x):
    h, z = torch.exp(x), torch.zeros(3)
    {use}.add_(1)
    return h.sum() + z.sum()


f(torch.ones(3, requires_grad=True)).backward()
"""

FORMS = {
    "an attribute of the class, by another name": (
        "    shared: Shared[int] = 0\n    a: object\n    b: object",
        "Pair({}, {}).b",
    ),
    "the same as text": ("    shared: 'Shared[int]' = 0\n    a: object\n    b: object", "Pair({}, {}).b"),
    "a mark": ("    a: object\n    _: AFTER\n    b: object", "Pair({}, b={}).b"),
    "given to __post_init__ alone": ("    a: object\n    b: Given[object]", "Pair({}, {}).given[0]"),
    "as text": ("    a: object\n    b: 'Given[object]'", "Pair({}, {}).given[0]"),
    "a class whose name only begins so": ("    a: object\n    b: InitVarious", "Pair({}, {}).b"),
}


@pytest.mark.parametrize("name", FORMS)
def test_the_field_that_is_written_is_the_one_that_was_given(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    module = ModuleType("program")
    monkeypatch.setitem(sys.modules, "program", module)  # where dataclasses looks up what an annotation names
    fields, use = FORMS[name]
    for given, hazard in ((("z", "h"), True), (("h", "z"), False)):
        program = PROGRAM.format(fields=fields, use=use.format(*given))
        found = check_source("program.py", program.encode(), Settings(), Project())
        assert any(one.code.startswith("IPL1") for one in found) is hazard
        raises = pytest.raises(RuntimeError, match="modified by an inplace operation")
        with raises if hazard else nullcontext():
            exec(compile(program, "program", "exec", dont_inherit=True), module.__dict__)
