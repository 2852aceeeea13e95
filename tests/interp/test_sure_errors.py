"""What a program is sure to raise is not believed: nobody keeps one that always fails. Judged by torch."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from .in_torch import told

HEAD = """\
import torch

w = torch.ones(3, requires_grad=True)

"""
TAIL = """
y = torch.sigmoid(w)
y += 1
y.sum().backward()
"""
#: What comes before a write that torch refuses, and never raises an error itself.
BEFORE = {
    "lists within lists": "if [32, 32] not in [[32, 32], [64, 64]]:\n    raise ValueError",
    "a list within a dict": "if {'a': [1]} != {'a': [1]}:\n    raise ValueError",
    "a flag that another file sets": (
        "import types\nfound = types.SimpleNamespace(ready=False)\n\n\ndef start(holder):\n"
        "    for name in dir(holder):\n        if name == 'ready':\n            vars(holder)[name] = True\n\n\n"
        "start(found)\nif not found.ready:\n    raise RuntimeError"
    ),
    "a method that a subclass has": (
        "class A:\n    def run(self):\n        return self.step()\n\n    def step(self):\n"
        "        raise NotImplementedError\n\n\nclass B(A):\n    pass\n\n\nB.step = lambda self: 1\nB().run()"
    ),
}
#: ... and what ends the program before the write, where that may well be meant.
ENDS = {
    "an error that is caught": (
        "try:\n    if 1 < 2:\n        raise ValueError\n    caught = False\nexcept ValueError:\n    caught = True\n"
        "if not caught:\n    y = torch.sigmoid(w)\n    y += 1\n    y.sum().backward()\nw = torch.ones(3)"
    ),
}


@pytest.mark.parametrize("what", BEFORE)
def test_code_behind_an_error_that_cannot_be_is_read(what: str) -> None:
    program = f"{HEAD}{BEFORE[what]}\n{TAIL}"
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        exec(program, {})
    assert told(program) == ["IPL101"]


@pytest.mark.parametrize("what", ENDS)
def test_an_error_that_is_caught_is_believed(what: str) -> None:
    program = f"{HEAD}{ENDS[what]}\n"
    exec(program, {})
    assert told(program) == []
