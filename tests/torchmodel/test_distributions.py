"""What distributions draw carries no graph, and everything else that they give hangs on what they were made of."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from inplace_lint.torchmodel.spelling import COMPUTED, DRAWN

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


#: By class the parameters, each of which may be the one that requires grad, and what else it is made with.
PARAMETERS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "Bernoulli": ({"logits": [0.3, 0.2]}, {}),
    "Beta": ({"concentration1": [1.5], "concentration0": [2.0]}, {}),
    "Binomial": ({"probs": [0.3]}, {"total_count": 3}),
    "Categorical": ({"logits": [0.1, 0.2, 0.3]}, {}),
    "Cauchy": ({"loc": [0.0], "scale": [1.0]}, {}),
    "ContinuousBernoulli": ({"probs": [0.3]}, {}),
    "Dirichlet": ({"concentration": [0.5, 0.5]}, {}),
    "Exponential": ({"rate": [1.0]}, {}),
    "Gamma": ({"concentration": [1.0], "rate": [1.0]}, {}),
    "Geometric": ({"probs": [0.3]}, {}),
    "Gumbel": ({"loc": [0.0], "scale": [1.0]}, {}),
    "HalfNormal": ({"scale": [1.0]}, {}),
    "Laplace": ({"loc": [0.0], "scale": [1.0]}, {}),
    "LogNormal": ({"loc": [0.0], "scale": [1.0]}, {}),
    "MultivariateNormal": ({"loc": [0.0, 0.0], "scale_tril": [[1.0, 0.0], [0.5, 1.0]]}, {}),
    "Normal": ({"loc": [0.0], "scale": [1.0]}, {}),
    "OneHotCategorical": ({"probs": [0.2, 0.8]}, {}),
    "Poisson": ({"rate": [2.0]}, {}),
    "RelaxedBernoulli": ({"temperature": 2.0, "logits": [0.1]}, {}),
    "StudentT": ({"df": [2.0], "loc": [0.0], "scale": [1.0]}, {}),
    "Uniform": ({"low": [0.0], "high": [1.0]}, {}),
    "VonMises": ({"loc": [0.0], "concentration": [1.0]}, {}),
    "Weibull": ({"scale": [1.0], "concentration": [1.0]}, {}),
}


@pytest.mark.parametrize(
    ("name", "one"), [(name, one) for name, (given, _) in PARAMETERS.items() for one in given]
)
def test_what_is_computed_hangs_on_each_parameter(name: str, one: str) -> None:
    parameters, others = PARAMETERS[name]
    given = {key: torch.tensor(value, requires_grad=key == one) for key, value in parameters.items()}
    made = getattr(distributions, name)(**given, **others)
    assert made.log_prob(made.sample()).requires_grad
    if made.has_rsample:
        assert made.rsample().requires_grad


def test_what_is_said_to_be_computed_is_a_method() -> None:
    assert all(hasattr(distributions.Distribution, name) for name in COMPUTED)
