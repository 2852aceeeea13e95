"""What `from m import *` of a file that is not in sight brings: perhaps torch, and so perhaps a grad mode."""

from __future__ import annotations

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

TEXT = """\
{imports}
from copy import deepcopy


class Average:
    def begin(self, learner):
        self.average = deepcopy(learner.model)

    {decorator}
    def step(self, learner, guard):
        with {manager}:
            for weight, mean in zip(learner.model.parameters(), self.average.parameters()):
                mean.mul_(0.9).add_(weight, alpha=0.1)


def keep(average, learner, guard, loss):
    loss.backward()
    average.step(learner, guard)
"""
STAR = "from somebody.elses.basics import *"


def codes(imports: str, decorator: str = "", manager: str = "guard") -> list[str]:
    text = TEXT.format(imports=imports, decorator=decorator, manager=manager)
    return [
        one.code for one in check_source("a.py", text.encode(), Settings(), Project()) if sure(one.confidence)
    ]


def sure(confidence: str) -> bool:
    return confidence != "possible"


@pytest.mark.parametrize(
    "name", ["torch.no_grad()", "no_grad()", "t.inference_mode()", "torch.set_grad_enabled(False)"]
)
def test_a_mode_that_may_come_by_a_star_raises_nothing_for_certain(name: str) -> None:
    assert codes(STAR, manager=name) == []
    assert codes(STAR, decorator=f"@{name}") == []


@pytest.mark.parametrize("imports", ["import torch", "from torch import *", STAR])
def test_what_is_bound_here_comes_by_no_star(imports: str) -> None:
    assert codes(imports, manager="guard") == ["IPL103"]
    assert codes(imports, manager="learner.model.scope()") == ["IPL103"]
    assert codes(imports, manager="open('a')") == ["IPL103"]


def test_without_a_star_nothing_comes_by_one() -> None:
    assert codes("import torch", manager="watch()") == ["IPL103"]
    assert codes("import torch\nfrom torch import *", manager="watch()") == ["IPL103"]
