"""Values that Python's own code computes while a program is checked take bounded memory, whatever the program says."""

from __future__ import annotations

import tracemalloc

import pytest

from inplace_lint.checks import check_source
from inplace_lint.interp import concrete
from inplace_lint.interp.ordered import Undecided
from inplace_lint.project import Project, Settings

HEAD = "import itertools\nimport torch\n"
HAZARD = "def main(x):\n    y = torch.exp(x)\n    y.add_(1)\n    y.sum().backward()\n"


def codes(text: str) -> list[str]:
    return [found.code for found in check_source("program.py", text.encode(), Settings(), Project())]


@pytest.mark.parametrize(
    "statement",
    [
        '"{:{w}}".format(1, w=10**8)',
        '"{:{}}".format(1, 10**8)',
        '"{:{w[0]}}".format(1, w=(10**8,))',
        '"%*d" % (10**8, 1)',
        '"%.*f" % (10**8, 1.5)',
        "itertools.product((1, 2), repeat=10**7)",
        "itertools.combinations_with_replacement((1, 2), 10**7)",
        "itertools.tee((1, 2), 10**7)",
    ],
)
def test_a_large_number_takes_no_memory(statement: str) -> None:
    text = HEAD + HAZARD.replace("    y.add_", f"    made = {statement}\n    y.add_")
    tracemalloc.start()
    try:
        found = codes(text)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == ["IPL101"]
    assert peak < 50_000_000


@pytest.mark.parametrize(
    "pattern", ["a?" * 30 + "a" * 30, "(a|a)" * 30 + "b", "(a*)*b", "a*a*a*a*b", "(a|aa){9}b"]
)
def test_a_pattern_that_may_backtrack_for_long_is_not_run(pattern: str) -> None:
    with pytest.raises(Undecided):
        concrete.FOLDED["re.match"](pattern, "")


@pytest.mark.parametrize(
    "pattern", ["q_proj|k_proj|v_proj|o_proj", r"layers\.(\d+)\.(.*?)$", "^(?:relu|gelu)$"]
)
def test_a_pattern_as_projects_write_them_is_run(pattern: str) -> None:
    assert concrete.FOLDED["re.search"](pattern, "-") is None


def test_more_elements_than_are_followed_are_not_taken_for_all() -> None:
    """The 81st combination, which is not followed, is the one that changes the saved tensor."""
    loop = """
    for number, _ in enumerate(itertools.product((0, 1, 2), repeat=4)):
        if number == 80:
            y.add_(1)
"""
    text = HEAD + HAZARD.replace("    y.add_(1)\n", loop.lstrip("\n"))
    assert codes(text) == ["IPL101"]
