"""Fixes applied to random programs, with torch as the judge: a slice of `python -m tests.differential --fixes`."""

from __future__ import annotations

import pytest

from .fixes import Repair, repair_many, same, values
from .generator import Program


@pytest.mark.parametrize("unsafe", [False, True])
def test_fixed_programs_keep_their_values_and_lose_their_errors(unsafe: bool) -> None:
    total = repair_many(160, seed=11, unsafe=unsafe)
    assert total.fixed > 10
    assert not total.faults, "\n\n".join(
        f"{fault}\n{repair.before.source}\nbecomes\n{repair.after.source}" for fault, repair in total.faults
    )
    if not unsafe:
        assert total.expected == 0


def test_a_change_of_values_is_seen() -> None:
    source = "import torch\ndef program():\n    a = torch.ones(2, requires_grad=True) * {}\n    a.sum().backward()\n"
    one, two = (values(Program(source.format(n), "local", "program", 0), ()) for n in (1, 2))
    assert one is not None
    assert two is not None
    assert same(one, one)
    assert not same(one, two)


def test_a_program_that_is_fixed_no_longer_raises() -> None:
    source = (
        "import torch\ndef program():\n    a = torch.ones(2, requires_grad=True)\n    y = a.exp()\n"
        "    y += 1\n    y.sum().backward()\n"
    )
    repair = Repair(Program(source, "local", "program", 0), unsafe=False)
    assert (repair.fixed, repair.faults) == (1, [])
    assert "y = y + 1" in repair.after.source
