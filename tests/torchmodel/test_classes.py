"""Classes of torch.nn, their bases and the arguments that they keep, asked of torch."""

from __future__ import annotations

import pytest

from inplace_lint.torchmodel import classes

torch = pytest.importorskip("torch")


def test_data_is_what_torch_gives():
    from scripts.optable.classes import TARGET, text

    assert TARGET.read_text(encoding="utf-8") == text()


@pytest.mark.parametrize(
    "name", ["ReLU", "Dropout", "LeakyReLU", "BatchNorm2d", "GroupNorm", "Embedding", "LSTMCell"]
)
def test_an_argument_that_is_left_out_has_its_default(name):
    cls = getattr(torch.nn, name)
    made = cls(*[4] * {"GroupNorm": 2, "Embedding": 2, "LSTMCell": 2, "BatchNorm2d": 1}.get(name, 0))
    found = [
        a
        for a in dir(made)
        if classes.keeps(f"torch.nn.{name}", a) and classes.default(f"torch.nn.{name}", a)
    ]
    assert found
    for attribute in found:
        assert classes.default(f"torch.nn.{name}", attribute) == (getattr(made, attribute),)


def test_what_is_made_of_an_argument_is_not_kept():
    assert not classes.keeps("torch.nn.Conv2d", "padding") and torch.nn.Conv2d(1, 1, 1).padding == (0, 0)
    assert not classes.keeps("torch.nn.Linear", "bias")
    assert classes.default("torch.nn.Linear", "in_features") is None


def test_derives_is_issubclass():
    names = [
        "Conv2d",
        "_ConvNd",
        "BatchNorm1d",
        "_BatchNorm",
        "_NormBase",
        "Linear",
        "LazyLinear",
        "ReLU6",
        "Hardtanh",
        "Module",
    ]
    modules = torch.nn.modules
    known = {
        name: getattr(torch.nn, name, None)
        or getattr(modules.conv, name, None)
        or getattr(modules.batchnorm, name)
        for name in names
    }
    for one in names:
        for other in names:
            assert classes.derives(f"torch.nn.{one}", f"torch.nn.{other}") is issubclass(
                known[one], known[other]
            )
    assert classes.derives("torch.nn.Conv2d", "somewhere.Conv") is None
    assert classes.derives("torch.nn.Unheard", "torch.nn.Conv2d") is None
