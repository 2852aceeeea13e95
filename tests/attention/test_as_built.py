"""The value graph of objects as they are built holds each form of attention, and nothing that only looks like one."""

from __future__ import annotations

import pytest

from inplace_lint.attention.graph_run import graph_as_built
from inplace_lint.attention.recognise import sites
from inplace_lint.attention.shapes import Shapes
from inplace_lint.checks import check_source
from inplace_lint.interp.program import Program
from inplace_lint.project import Project, Settings
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


def test_what_is_done_to_the_scores_in_another_class_is_told() -> None:
    text = (
        "import torch\nfrom torch import nn\n\n\nclass Attention(nn.Module):\n"
        "    def __init__(self, size):\n        super().__init__()\n        self.qkv = nn.Linear(size, 3 * size)\n\n"
        "    def weights(self, q, k):\n        raise NotImplementedError\n\n"
        "    def forward(self, x):\n        q, k, v = self.qkv(x).chunk(3, -1)\n"
        "        return self.weights(q, k) @ v\n\n\n"
        "class Squared(Attention):\n    def weights(self, q, k):\n"
        "        return torch.softmax((q @ k.transpose(-2, -1)) ** 2, dim=-1)\n"
    )
    (found,) = [
        one for one in check_source("a.py", text.encode(), Settings(), Project()) if one.code == "IPL401"
    ]
    assert found.fix_refused == "the scores pass through `pow`, which no mask expresses"
    assert "scaled_dot_product_attention" not in found.help
