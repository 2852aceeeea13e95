"""What a function binds to a global name is what the functions that it calls find there: judged in torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("torch")

from .in_torch import refuses, told

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """\
import torch

weight = torch.ones(4, requires_grad=True)
state = torch.zeros(4)


def bump():
    state.add_(1.0)


def renew():
    global state
    state = torch.sigmoid(weight)


def reset():
    global state
    state = torch.zeros(4)


"""
#: The body of a function that nothing calls but the last line, and whether torch refuses its backward.
BODIES = {
    "bound here, written there": (
        "global state\nstate = torch.sigmoid(weight)\nbump()\nstate.sum().backward()",
        True,
    ),
    "bound there, written there": ("renew()\nbump()\nstate.sum().backward()", True),
    "bound there, written here": ("renew()\nstate.mul_(2)\nstate.sum().backward()", True),
    "bound anew before the write": (
        "renew()\nloss = state.sum()\nreset()\nbump()\nloss.backward()",
        False,
    ),
    "written before it is bound": ("bump()\nrenew()\nstate.sum().backward()", False),
    "bound on one path": (
        "if weight.sum() > 0:\n    renew()\nbump()\nif state.requires_grad:\n    state.sum().backward()",
        True,
    ),
}


@pytest.mark.parametrize("called", [True, False], ids=["a script", "a file of functions"])
@pytest.mark.parametrize("what", BODIES)
def test_a_global_name_is_bound_and_written(what: str, called: bool, tmp_path: Path) -> None:
    body, spoils = BODIES[what]
    text = HEAD + "def run():\n    " + body.replace("\n", "\n    ") + "\n"
    program = tmp_path / "program.py"
    program.write_text(f"{text}\n\nrun()\n")
    assert refuses(program, tmp_path) is spoils
    assert set(told(program.read_text() if called else text)) == ({"IPL101"} if spoils else set())
