"""In whichever way a helper hands a tensor to its caller, what is known of it is known there: torch judges."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

HEAD = """import torch
from collections import OrderedDict, namedtuple, deque
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import NamedTuple, Optional
from torch import nn

Pair = namedtuple("Pair", "y h")


class Typed(NamedTuple):
    y: torch.Tensor
    h: torch.Tensor


@dataclass
class Out:
    y: torch.Tensor
    h: Optional[torch.Tensor] = None
    extra: dict = field(default_factory=dict)


class Holder:
    def __init__(self, h=None):
        self.h = h

    def get(self):
        return self.h

    def put(self, h):
        self.h = h

    @property
    def value(self):
        return self.h


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 4)
        self.cache = {}

    def passed_on(self, y, h):
        return y, h

    def helper(self, x, outs=None):
"""
#: What the helper does with the tensors `y` and `h`, and how the caller comes to both.
WAYS = {
    "tuple": ("return y, h", "y, h = self.helper(x)"),
    "list": ("return [y, h]", "y, h = self.helper(x)"),
    "list index": ("return [y, h]", "r = self.helper(x); y, h = r[0], r[1]"),
    "nested": ("return y, (y, [h])", "y, (_, [h]) = self.helper(x)"),
    "nested index": ("return y, (y, [h])", "r = self.helper(x); y, h = r[0], r[1][1][0]"),
    "dict": ("return {'y': y, 'h': h}", "r = self.helper(x); y, h = r['y'], r['h']"),
    "dict()": ("return dict(y=y, h=h)", "r = self.helper(x); y, h = r['y'], r['h']"),
    "dict filled": ("r = {}\nr['y'] = y\nr['h'] = h\nreturn r", "r = self.helper(x); y, h = r['y'], r['h']"),
    "dict get": ("r = {}\nr['h'] = h\nreturn y, r", "y, r = self.helper(x); h = r.get('h')"),
    "dict values": ("return {'y': y, 'h': h}", "y, h = self.helper(x).values()"),
    "dict of list": ("return {'y': y, 'hs': [h]}", "r = self.helper(x); y, h = r['y'], r['hs'][0]"),
    "dict computed key": (
        "return {f'{n}': t for n, t in [('y', y), ('h', h)]}",
        "r = self.helper(x); y, h = r['y'], r['h']",
    ),
    "namedtuple": ("return Pair(y, h)", "r = self.helper(x); y, h = r.y, r.h"),
    "namedtuple unpacked": ("return Pair(y=y, h=h)", "y, h = self.helper(x)"),
    "NamedTuple": ("return Typed(y, h)", "r = self.helper(x); y, h = r.y, r.h"),
    "dataclass": ("return Out(y, h)", "r = self.helper(x); y, h = r.y, r.h"),
    "dataclass set": ("o = Out(y)\no.h = h\nreturn o", "r = self.helper(x); y, h = r.y, r.h"),
    "dataclass extra": (
        "o = Out(y)\no.extra['h'] = h\nreturn o",
        "r = self.helper(x); y, h = r.y, r.extra['h']",
    ),
    "namespace": ("return SimpleNamespace(y=y, h=h)", "r = self.helper(x); y, h = r.y, r.h"),
    "holder": ("return y, Holder(h)", "y, o = self.helper(x); h = o.h"),
    "holder get": ("return y, Holder(h)", "y, o = self.helper(x); h = o.get()"),
    "holder property": ("return y, Holder(h)", "y, o = self.helper(x); h = o.value"),
    "holder put": ("o = Holder()\no.put(h)\nreturn y, o", "y, o = self.helper(x); h = o.h"),
    "self attribute": ("self.h = h\nreturn y", "y = self.helper(x); h = self.h"),
    "self list": ("self.hs = []\nself.hs.append(h)\nreturn y", "y = self.helper(x); h = self.hs[-1]"),
    "self dict": ("self.cache['h'] = h\nreturn y", "y = self.helper(x); h = self.cache['h']"),
    "out list": ("outs.append(h)\nreturn y", "outs = []; y = self.helper(x, outs); h = outs[0]"),
    "out dict": ("outs['h'] = h\nreturn y", "outs = {}; y = self.helper(x, outs); h = outs['h']"),
    "out object": ("outs.h = h\nreturn y", "outs = Holder(); y = self.helper(x, outs); h = outs.h"),
    "out put": ("outs.put(h)\nreturn y", "outs = Holder(); y = self.helper(x, outs); h = outs.h"),
    "callback": ("outs(h)\nreturn y", "got = []; y = self.helper(x, got.append); h = got[0]"),
    "callback lambda": (
        "outs(h)\nreturn y",
        "got = {}; y = self.helper(x, lambda t: got.update(h=t)); h = got['h']",
    ),
    "callback nonlocal": (
        "outs(h)\nreturn y",
        "h = None\n        def take(t):\n            nonlocal h\n            h = t\n"
        "        y = self.helper(x, take)",
    ),
    "generator": ("yield y\nyield h", "y, h = self.helper(x)"),
    "generator loop": (
        "yield y\nyield h",
        "ts = []\n        for t in self.helper(x):\n            ts += [t]\n        y, h = ts",
    ),
    "generator list": ("yield y\nyield h", "y, h = list(self.helper(x))"),
    "map": ("return y, h", "y, h = map(lambda t: t, self.helper(x))"),
    "star": ("return y, h", "y, *rest = self.helper(x); h = rest[0]"),
    "zip": ("return [y], [h]", "(y, h), = zip(*self.helper(x))"),
    "walrus": ("return y, h", "y = (r := self.helper(x))[0]; h = r[1]"),
    "conditional": ("if outs is None:\n    return y, None\nreturn y, h", "y, h = self.helper(x, 1)"),
    "conditional 2": ("if not self.training:\n    return y\nreturn y, h", "y, h = self.helper(x)"),
    "try": ("try:\n    return y, h\nfinally:\n    pass", "y, h = self.helper(x)"),
    "closure": ("def get():\n    return h\nreturn y, get", "y, get = self.helper(x); h = get()"),
    "partial": (
        "return y, partial(Holder, h)",
        "y, f = self.helper(x); h = f().h",
    ),
    "setattr": ("setattr(self, 'h', h)\nreturn y", "y = self.helper(x); h = getattr(self, 'h')"),
    "two deep": ("return self.passed_on(y, h)", "y, h = self.helper(x)"),
    "list +": ("return [y] + [h]", "y, h = self.helper(x)"),
    "tuple +": ("r = (y,)\nr = r + (h,)\nreturn r", "y, h = self.helper(x)"),
    "comprehension": ("return [t for t in (y, h)]", "y, h = self.helper(x)"),
    "sorted": ("return list(reversed([h, y]))", "y, h = self.helper(x)"),
}
#: What the helper makes, what the caller does, and what that should be told as.
EVENTS = {
    "saved by linear": ("h = self.a(x)\ny = self.b(h)", "h.tanh_()\nreturn y.sum() + h.sum()", "IPL102"),
    "result saved": (
        "h = torch.sigmoid(self.a(x))\ny = h + 1",
        "h.mul_(2)\nreturn y.sum() + h.sum()",
        "IPL101",
    ),
    "not saved": ("h = self.a(x)\ny = h + 1", "h.mul_(2)\nreturn y.sum() + h.sum()", ""),
    "view": ("h0 = self.a(x)\ny = self.b(h0)\nh = h0[0]", "h.zero_()\nreturn y.sum() + h.sum()", "IPL102"),
    "multi view": ("h0 = self.a(x)\nh, y = h0.chunk(2)", "h.mul_(2)\nreturn y.sum() + h.sum()", "IPL104"),
    "alias": (
        "h = self.a(x)\ny = h",
        "z = torch.exp(self.b(y)) * y\nh.mul_(2)\nreturn z.sum() + h.sum()",
        "IPL102",
    ),
    "alias fine": ("h = self.a(x)\ny = h", "z = y + 1\nh.mul_(2)\nreturn z.sum() + h.sum()", ""),
}


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("way", WAYS)
def test_a_tensor_is_the_same_for_the_caller(way: str, event: str, tmp_path: Path) -> None:
    (hand_over, take), (make, use, code) = WAYS[way], EVENTS[event]
    if event == "alias" and way in BY_A_CALLABLE:
        pytest.xfail("that a callable gives what was returned as well is not known")
    body = textwrap.indent(f"{make}\n{hand_over}\n", " " * 8)
    text = f"{HEAD}{body}\n    def forward(self, x):\n        {take}\n" + textwrap.indent(use, " " * 8) + "\n"
    space: dict[str, Any] = {"__name__": __name__}
    exec(compile(text, "handed.py", "exec"), space)
    assert _raises(space["Net"]()) is bool(code)
    found = check_source(str(tmp_path / "handed.py"), text.encode(), Settings(), Project(root=str(tmp_path)))
    assert {one.code for one in found if one.severity == "error"} == ({code} if code else set())


#: The ways in which the caller is given what it calls to come to the tensor.
BY_A_CALLABLE = ("closure", "partial")


def _raises(net: torch.nn.Module) -> bool:
    try:
        net(torch.randn(4, 4)).backward()
    except RuntimeError as error:
        return "inplace" in str(error)
    return False
