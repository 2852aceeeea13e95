"""The order of arguments that PyTorch took before today's is read as PyTorch reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.torchmodel import table
from inplace_lint.torchmodel.older import ORDERS

torch = pytest.importorskip("torch")
torchgen = pytest.importorskip("torchgen")
yaml = pytest.importorskip("yaml")

DEPRECATED = Path(torchgen.__file__).parent / "packaged" / "autograd" / "deprecated.yaml"


def test_the_orders_are_those_that_pytorch_lists() -> None:
    listed: dict[str, set[str]] = {}
    for entry in yaml.safe_load(DEPRECATED.read_text()):
        name, _, rest = entry["name"].partition("(")
        parameters = rest.rpartition(") ->")[0].split(", *")[0]
        words = " ".join(one.split()[-1] for one in parameters.split(", "))
        listed.setdefault(name.rstrip("_"), set()).add(words)
    assert {name: set(orders) for names, orders in ORDERS.items() for name in names.split()} == listed


CALLS = {
    "x.add_(0.5, y)": "x.add_(y, alpha=0.5)",
    "x.add(0.5, y)": "x.add(y, alpha=0.5)",
    "torch.sub(x, 0.5, y)": "torch.sub(x, y, alpha=0.5)",
    "x.addcmul_(0.5, y, z)": "x.addcmul_(y, z, value=0.5)",
    "torch.addcdiv(x, 0.5, y, z)": "torch.addcdiv(x, y, z, value=0.5)",
    "x.addmm_(0.5, 2, y, z)": "x.addmm_(y, z, beta=0.5, alpha=2)",
    "x.addmm_(0.5, y, z)": "x.addmm_(y, z, beta=0.5)",
    "torch.addmm(0.5, x, 2, y, z)": "torch.addmm(x, y, z, beta=0.5, alpha=2)",
    "torch.addmm(0.5, x, y, z)": "torch.addmm(x, y, z, beta=0.5)",
}


@pytest.mark.filterwarnings("ignore:This overload of")
@pytest.mark.parametrize("call", CALLS)
def test_a_call_in_the_older_order_does_what_todays_does(call: str) -> None:
    made = [torch.rand(2, 2, generator=torch.Generator().manual_seed(i)) for i in range(3)]

    def value(text: str) -> object:
        x, y, z = (one.clone() for one in made)
        return eval(text, {"torch": torch, "x": x, "y": y, "z": z})

    assert torch.equal(value(call), value(CALLS[call]))
    older, today = (facts_of(text) for text in (call, CALLS[call]))
    assert older == today


def facts_of(text: str) -> list[object]:
    """What the table says of a call: its key, and which argument each parameter is given, by its text."""
    func, _, rest = text.rstrip(")").partition("(")
    owner, _, name = func.rpartition(".")
    op = table.function(func) if owner == "torch" else table.method(name)
    assert op is not None
    given = [one.partition("=")[::2] for one in rest.split(", ")]
    positional = [] if owner == "torch" else ["x"]
    positional += [name for name, value in given if not value]
    named = {name: value for name, value in given if value}
    kinds = ["T" if one in "xyz" else "N" for one in positional]
    found = op.facts(kinds, dict.fromkeys(named, "N"))
    assert found is not None
    facts, binding = found
    texts = [at if at is None else positional[at] if isinstance(at, int) else named[at] for at in binding]
    return [facts.key, texts]
