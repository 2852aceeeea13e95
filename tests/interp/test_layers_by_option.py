"""Which layer a class builds, and whether it works in place, is followed through its body, its options and tables.

Each form is one program whose layer works in place, and spoils what `exp` saved, and one whose layer does not. Torch
says so; the tool has to know it of the class alone, and where the file makes an object of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

torch = pytest.importorskip("torch")

import inplace_lint  # noqa: E402


@dataclass(frozen=True)
class Form:
    """How `self.act` is made: `{layer}` is the layer, `{kind}` its class, `{flag}` whether it works in place."""

    act: str
    #: what the class body has; further parameters; statements before; what the file has
    body: str = ""
    parameters: str = ""
    before: str = ""
    top: str = ""


FORMS = {
    "class attribute": Form("self.ACT", body="ACT = {layer}"),
    "class attribute of another": Form("self.ACT", body="FIRST = {layer}\nACT = FIRST"),
    "class attribute of the same name in the file": Form("self.ACT", body="ACT = ACT", top="ACT = {layer}"),
    "class attribute by a flag": Form("self.ACT", body="FLAG = {flag}\nACT = nn.ReLU(inplace=FLAG)"),
    "class of the class body": Form("self.ACT({flag})", body="FIRST = {kind}\nACT = FIRST"),
    "element of the class body": Form("self.ACT({flag})", body="ALL = [{kind}, nn.Tanh]\nACT = ALL[0]"),
    "table under a name of the body": Form(
        "self.TABLE['relu']", body="RELU = 'relu'\nTABLE = {{RELU: {layer}, 'tanh': nn.Tanh()}}"
    ),
    "table, and a default of the body": Form(
        "self.TABLE[name]",
        body="RELU = 'relu'\nTABLE = {{RELU: {layer}, 'tanh': nn.Tanh()}}",
        parameters="name=RELU",
    ),
    "class as a default of the body": Form("kind({flag})", body="RELU = {kind}", parameters="kind=RELU"),
    "options of the body": Form("{kind}(**self.OPTIONS)", body="OPTIONS = {{'inplace': {flag}}}"),
    "options of the body of others": Form(
        "{kind}(**self.ALL)", body="OPTIONS = {{'inplace': {flag}}}\nALL = {{**OPTIONS}}"
    ),
    "options or those by default": Form(
        "{kind}(**(options or {{'inplace': {flag}}}))", parameters="options=None"
    ),
    "options if None": Form(
        "{kind}(**options)",
        parameters="options=None",
        before="if options is None:\n    options = {{'inplace': {flag}}}",
    ),
    "class and options if None": Form(
        "kind(**options)",
        parameters="kind=None, options=None",
        before="kind = kind or {kind}\nif options is None:\n    options = dict(inplace={flag})",
    ),
    "options of the file": Form("{kind}(**OPTIONS)", top="OPTIONS = {{'inplace': {flag}}}"),
    "lambda as a default": Form("make()", parameters="make=lambda: {layer}"),
    "layer derived from torch's": Form(
        "Act()",
        top="class Act({kind}):\n    def __init__(self):\n        super().__init__(inplace={flag})\n",
    ),
    "field of a class": Form(
        "{kind}(options.inplace)", parameters="options=Options", top="class Options:\n    inplace = {flag}\n"
    ),
}

PROGRAM = """import torch
from torch import nn

{top}


class Net(nn.Module):
{body}
    def __init__(self{parameters}):
        super().__init__()
{before}
        self.linear = nn.Linear(3, 3)
        self.act = {act}

    def forward(self, x):
        y = torch.exp(self.linear(x))
        return self.act(y)
"""
RUN = """

if __name__ == "__main__":
    Net()(torch.ones(2, 3)).sum().backward()
"""


def program(form: Form, flag: bool) -> str:
    def filled(text: str, depth: int = 0) -> str:
        made = text.format(layer=f"nn.ReLU(inplace={flag})", kind="nn.ReLU", flag=flag)
        return "\n".join("    " * depth + line for line in made.splitlines())

    return PROGRAM.format(
        top=filled(form.top),
        body=filled(form.body, 1) + "\n",
        parameters=f", {filled(form.parameters)}" if form.parameters else "",
        before=filled(form.before, 2),
        act=filled(form.act),
    )


def raises(text: str) -> bool:
    try:
        exec(compile(text, "program.py", "exec"), {"__name__": "__main__"})
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error), error
        return True
    return False


@pytest.mark.parametrize("driver", ["", RUN], ids=["class alone", "with an object"])
@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize("form", FORMS)
def test_the_layer_is_followed(form: str, flag: bool, driver: str) -> None:
    text = program(FORMS[form], flag)
    assert raises(text + RUN) is flag, text
    found = [one.code for one in inplace_lint.check(text + driver).diagnostics]
    assert found == ["IPL101"] * flag, text


CHAINED = """import torch
from torch import nn


class Block(nn.Module):
    RELU = "relu"
    LEAKY = "leaky"
    TABLE = {RELU: nn.ReLU(inplace=True), LEAKY: nn.LeakyReLU(inplace=True)}

    def __init__(self, size, kind=LEAKY):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(size, size), self.TABLE[kind])

    def forward(self, x):
        return self.layers(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(*[Block(3, kind="relu") for _ in range(3)])

    def forward(self, x):
        return self.blocks(x)


def train(net, loader):
    for x, y in loader:
        nn.functional.cross_entropy(net(x), y).backward()


def main():
    train(Net(), loader())


def loader():
    return [(torch.ones(2, 3), torch.zeros(2, dtype=torch.long))]


if __name__ == "__main__":
    main()
"""


def test_a_table_of_a_class_body_gives_the_layer_of_its_key() -> None:
    """With the keys unknown each block might run either layer, the one on what the other saved."""
    assert not raises(CHAINED)
    assert not inplace_lint.check(CHAINED).diagnostics
