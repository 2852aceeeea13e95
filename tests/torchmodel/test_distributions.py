"""What distributions draw carries no graph, and everything else that they give hangs on what they were made of."""

from __future__ import annotations

import inspect

import pytest

from inplace_lint.torchmodel.spelling import DRAWN

torch = pytest.importorskip("torch")
from torch import distributions  # noqa: E402

MADE = {
    "Normal": lambda p: distributions.Normal(p, p.exp()),
    "Categorical": lambda p: distributions.Categorical(logits=p),
    "Bernoulli": lambda p: distributions.Bernoulli(logits=p),
    "Gamma": lambda p: distributions.Gamma(p.exp(), p.exp()),
    "Independent": lambda p: distributions.Independent(distributions.Normal(p, 1.0), 1),
    "TransformedDistribution": lambda p: distributions.LogNormal(p, p.exp()),
}


@pytest.mark.parametrize("name", MADE)
def test_what_is_drawn_requires_no_grad(name: str) -> None:
    parameter = torch.rand(3, requires_grad=True)
    made = MADE[name](parameter * 1)
    for method in DRAWN:
        try:
            drawn = getattr(made, method)(*([2] if method == "sample_n" else []))
        except NotImplementedError:
            continue
        assert not drawn.requires_grad, method
    assert made.log_prob(made.sample()).requires_grad
    if made.has_rsample:
        assert made.rsample().requires_grad


def test_no_other_method_draws_without_a_graph() -> None:
    for name, cls in inspect.getmembers(distributions, inspect.isclass):
        for method, function in inspect.getmembers(cls, inspect.isfunction):
            if not method.startswith("_") and "torch.no_grad()" in inspect.getsource(function):
                assert method in DRAWN, f"{name}.{method}"
