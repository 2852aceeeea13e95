"""The value graph of objects as they are built holds each form of attention, and nothing that only looks like one."""

from __future__ import annotations

import pytest

from inplace_lint.attention.graph_run import graph_as_built
from inplace_lint.attention.recognise import sites
from inplace_lint.attention.shapes import Shapes
from inplace_lint.interp.program import Program
from inplace_lint.project import Project
from inplace_lint.syntax.module import Module

from .forms import Form, catalogue, source
from .lookalikes import sources

FORMS = catalogue(seed=0, more=60)


def attentions(text: str) -> int:
    """How many softmaxes of a file belong to an attention, whichever of its functions is run."""
    program, module = Program(Project()), Module("program.py", text.encode())
    program.files.add(module)
    found = set()
    for root in (*module.functions_in_order(), None):
        graph = graph_as_built(program, module, root)
        found |= {id(site.softmax.at) for site in sites(graph, Shapes(graph))}
    return len(found)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_form_is_recognised(form: Form) -> None:
    assert attentions(source(form)) == 1


@pytest.mark.parametrize(("name", "text"), sources(), ids=lambda one: one if "\n" not in one else "")
def test_lookalike_is_passed_over(name: str, text: str) -> None:
    assert attentions(text) == 0


def test_prototypes_that_a_model_learns_are_no_positions() -> None:
    """Scores with them do not grow with the square of the input, wherever the model that has them is built."""
    text = (
        "import torch\nfrom torch import nn\n\n\nclass Assignment(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n        self.centres = nn.Parameter(torch.rand(8, 4))\n\n"
        "    def weights(self, x):\n        return torch.softmax(x @ self.centres.t(), dim=-1)\n\n"
        "    def forward(self, x):\n        return self.weights(x) @ self.centres\n\n\n"
        "Assignment()(torch.randn(2, 5, 4)).sum().backward()\n"
    )
    assert attentions(text) == 0
