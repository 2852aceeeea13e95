"""`d[k]` is what was last stored under `k`, although which key that is is not known: judged in torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("torch")

from .in_torch import refuses, told

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """\
import torch

weight = torch.ones(3, requires_grad=True)


def f(x, keys, other):
    out, loss = {}, 0
"""
TAIL = """

f(weight * 2, list({"a", "b"}), "b")
"""
#: The rest of a function of tensors and of keys that are not known, and whether torch refuses its backward.
BODIES = {
    "a copy is written": (
        "for k in keys:\n    out[k] = torch.sigmoid(x)\n    loss = loss + out[k].sum()\n"
        "    out[k] = out[k].clone()\n    out[k] += 1\nloss.backward()",
        False,
    ),
    "a copy is written in another loop": (
        "for k in keys:\n    out[k] = torch.sigmoid(x)\nfor k in keys:\n    out[k] = out[k] * 1.0\n"
        "    out[k] += 1\nloss = sum(out.values())\nloss.sum().backward()",
        False,
    ),
    "the result itself is written": (
        "for k in keys:\n    out[k] = torch.sigmoid(x)\n    out[k] += 1\n"
        "loss = sum(out.values())\nloss.sum().backward()",
        True,
    ),
    "the result is written behind the copy": (
        "for k in keys:\n    out[k] = torch.sigmoid(x)\n    saved = out[k]\n    out[k] = out[k].clone()\n"
        "    saved += 1\n    loss = loss + saved.sum()\nloss.backward()",
        True,
    ),
    "under another key that may be the same": (
        "for k in keys:\n    out[k] = torch.sigmoid(x)\n    loss = loss + out[k].sum()\n"
        "    out[k] = torch.zeros(3)\n    out[other] = torch.sigmoid(x)\n    out[k] += 1\n"
        "    loss = loss + out[other].sum()\nloss.backward()",
        True,
    ),
    "under a known key that may be the same": (
        "for k in keys:\n    out[k] = torch.zeros(3)\n    out['b'] = torch.sigmoid(x)\n    out[k] += 1\n"
        "    loss = loss + out['b'].sum()\nloss.backward()",
        True,
    ),
    "what update brings": (
        "for k in keys:\n    out[k] = torch.zeros(3)\n    out.update({k: torch.sigmoid(x)})\n    out[k] += 1\n"
        "    loss = loss + out[k].sum()\nloss.backward()",
        True,
    ),
    "one of two keys": (
        "k = keys[0] if len(keys) > 1 else other\nout[k] = torch.sigmoid(x)\nloss = out[k].sum()\n"
        "out[k] = torch.zeros(3)\nout[k] += 1\nloss.backward()",
        False,
    ),
    "over the keys of the dict": (
        "for k in keys:\n    out[k] = torch.sigmoid(x)\nfor k in out:\n    loss = loss + out[k].sum()\n"
        "    out[k] = torch.zeros(3)\n    out[k] += 1\nloss.backward()",
        False,
    ),
}


@pytest.mark.parametrize("what", BODIES)
def test_what_stands_under_a_key_that_is_not_known(what: str, tmp_path: Path) -> None:
    body, spoils = BODIES[what]
    text = HEAD + "    " + body.replace("\n", "\n    ") + "\n"
    program = tmp_path / "program.py"
    program.write_text(text + TAIL)
    assert refuses(program, tmp_path) is spoils
    assert told(text + TAIL) == (["IPL101"] if spoils else [])
