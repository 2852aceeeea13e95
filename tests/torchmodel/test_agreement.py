"""The table against torch over PyTorch's own op_db: what is said to be saved is saved, and nothing else is.

A seventh of the ops by default, all of them with INPLACE_LINT_LONG=1
(`python -m scripts.optable.agree` prints the count).
"""

from __future__ import annotations

import os
import warnings

import pytest

torch = pytest.importorskip("torch")

LONG = bool(os.environ.get("INPLACE_LINT_LONG"))
EVERY = 1 if LONG else 7

# op -> how many samples may differ at most, and why.
ALLOWED = {
    "torch.matmul": (3, "batch dimensions are broadcast: an expanded copy is saved in place of the operand"),
    "torch.linalg.norm": (28, "the norm of an empty tensor is a constant, for which nothing is saved"),
}


@pytest.fixture(scope="module")
def tallies():
    pytest.importorskip("expecttest")
    from scripts.optable import agree

    warnings.simplefilter("ignore")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return {inplace: agree.tally(inplace, EVERY) for inplace in (False, True)}
    finally:
        torch.set_num_threads(threads)


@pytest.mark.parametrize("inplace", [False, True], ids=["out of place", "in place"])
def test_every_sample_agrees_but_for_the_allowed(tallies, inplace):
    differing = {
        name: lines
        for name, lines in tallies[inplace].differing.items()
        if len(lines) > ALLOWED.get(name, (0, ""))[0]
    }
    assert not differing


def test_most_of_op_db_is_compared(tallies):
    assert len(tallies[False].ops) * EVERY > 500
    assert len(tallies[True].ops) * EVERY > 110
    assert not LONG or tallies[False].total > 15_000


def test_nearly_all_agree_exactly_and_not_within_a_may(tallies):
    assert tallies[False].exact > 0.95 * tallies[False].total
    assert tallies[True].exact == tallies[True].total


@pytest.mark.skipif(not LONG, reason="INPLACE_LINT_LONG is not set")
def test_every_allowance_is_needed(tallies):
    used = {name: len(lines) for name, lines in tallies[False].differing.items()}
    assert used == {name: count for name, (count, _) in ALLOWED.items()}
