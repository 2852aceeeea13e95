"""The keywords of constructors, asked of torch."""

from __future__ import annotations

import inspect

import pytest

from inplace_lint.torchmodel.keywords import MODULE_KEYWORDS

torch = pytest.importorskip("torch")


def test_keywords_are_those_that_some_constructor_takes():
    found = set()
    for name in dir(torch.nn):
        cls = getattr(torch.nn, name)
        if inspect.isclass(cls) and issubclass(cls, torch.nn.Module):
            found.update(
                parameter.name
                for parameter in inspect.signature(cls.__init__).parameters.values()
                if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
            )
    assert found - {"self"} == MODULE_KEYWORDS


def test_another_keyword_raises():
    with pytest.raises(TypeError):
        torch.nn.Linear(2, 2, params_dtype=torch.float32)
