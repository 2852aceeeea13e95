"""In whichever way a caller hands a tensor to a helper, what the helper does to it is known: torch judges."""

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


class Caller:
    def __call__(self, t):
        {do}


def free(t):
    {do}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 4)
        self.cache = {{}}

    @staticmethod
    def static(t):
        {do}

    def passed_on(self, t):
        self.helper(t)

    def helper({parameters}):
{body}

    def forward(self, x):
{forward}
"""
#: How the caller hands over the tensor `h`, the parameters of the helper, and how it comes to `t`.
WAYS = {
    "positional": ("self.helper(h)", "self, t", ""),
    "keyword": ("self.helper(t=h)", "self, t", ""),
    "star args": ("self.helper(*(h,))", "self, t", ""),
    "var args": ("self.helper(h)", "self, *ts", "t = ts[0]"),
    "var args loop": ("self.helper(h, h0)", "self, *ts", "t = [s for s in ts][0]"),
    "kwargs": ("self.helper(t=h)", "self, **kw", "t = kw['t']"),
    "double star": ("self.helper(**{'t': h})", "self, t", ""),
    "double star dict": ("kw = dict(t=h); self.helper(**kw)", "self, t", ""),
    "list": ("self.helper([h])", "self, ts", "t = ts[0]"),
    "list built": ("ts = []; ts.append(h); self.helper(ts)", "self, ts", "t = ts[-1]"),
    "tuple unpack": ("self.helper((h, h0))", "self, ts", "t, _ = ts"),
    "nested": ("self.helper((h0, [h]))", "self, ts", "t = ts[1][0]"),
    "dict": ("self.helper({'t': h})", "self, d", "t = d['t']"),
    "dict get": ("self.helper({'t': h})", "self, d", "t = d.get('t')"),
    "dict set": ("d = {}; d['t'] = h; self.helper(d)", "self, d", "t = d['t']"),
    "dict pop": ("self.helper({'t': h})", "self, d", "t = d.pop('t')"),
    "dict values": ("self.helper({'t': h})", "self, d", "t, = d.values()"),
    "dict items": ("self.helper({'t': h})", "self, d", "for _, t in d.items():\n    pass"),
    "namedtuple": ("self.helper(Pair(h0, h))", "self, p", "t = p.h"),
    "namedtuple unpack": ("self.helper(Pair(h0, h))", "self, p", "_, t = p"),
    "NamedTuple": ("self.helper(Typed(h0, h))", "self, p", "t = p.h"),
    "dataclass": ("self.helper(Out(h0, h))", "self, o", "t = o.h"),
    "dataclass kw": ("self.helper(Out(y=h0, h=h))", "self, o", "t = o.h"),
    "dataclass extra": ("o = Out(h0); o.extra['t'] = h; self.helper(o)", "self, o", "t = o.extra['t']"),
    "namespace": ("self.helper(SimpleNamespace(t=h))", "self, o", "t = o.t"),
    "holder": ("self.helper(Holder(h))", "self, o", "t = o.h"),
    "holder get": ("self.helper(Holder(h))", "self, o", "t = o.get()"),
    "holder property": ("self.helper(Holder(h))", "self, o", "t = o.value"),
    "holder put": ("o = Holder(); o.put(h); self.helper(o)", "self, o", "t = o.h"),
    "self attribute": ("self.h = h; self.helper()", "self", "t = self.h"),
    "self dict": ("self.cache['h'] = h; self.helper()", "self", "t = self.cache['h']"),
    "self list": ("self.hs = [h]; self.helper()", "self", "t = self.hs[0]"),
    "setattr": ("setattr(self, 'h', h); self.helper()", "self", "t = getattr(self, 'h')"),
    "partial": ("partial(self.helper, h)()", "self, t", ""),
    "lambda": ("(lambda s: self.helper(s))(h)", "self, t", ""),
    "getter": ("self.helper(lambda: h)", "self, get", "t = get()"),
    "bound method": ("self.helper(Holder(h).get)", "self, get", "t = get()"),
    "local alias": ("f = self.helper; f(h)", "self, t", ""),
    "table": ("{'f': self.helper}['f'](h)", "self, t", ""),
    "view": ("self.helper(h.view(-1))", "self, t", ""),
    "view index": ("self.helper(h[0])", "self, t", ""),
    "map": ("list(map(self.helper, [h]))", "self, t", ""),
    "loop": ("for s in [h]:\n    self.helper(s)", "self, t", ""),
    "comprehension": ("[self.helper(s) for s in (h,)]", "self, t", ""),
    "zip loop": ("for s, _ in zip([h], [h0]):\n    self.helper(s)", "self, t", ""),
    "default none": ("self.helper(h0, h)", "self, u, t=None", ""),
    "static": ("Net.static(h)", "self, t", ""),
    "function": ("free(h)", "self, t", ""),
    "callable object": ("Caller()(h)", "self, t", ""),
    "two deep": ("self.passed_on(h)", "self, t", ""),
}
#: What the caller does around that, what the helper does, and what that should be told as.
EVENTS = {
    "helper writes": (
        "h0 = self.a(x)\nh = self.a(h0)\ny = self.b(h)\n{send}\nreturn y.sum() + h.sum()",
        "t.tanh_()",
        "IPL102",
    ),
    "helper writes result": (
        "h0 = self.a(x)\nh = torch.sigmoid(self.a(h0))\n{send}\nreturn h.sum()",
        "t.mul_(2)",
        "IPL101",
    ),
    "helper writes, fine": (
        "h0 = self.a(x)\nh = self.a(h0)\ny = h + 1\n{send}\nreturn y.sum() + h.sum()",
        "t.mul_(2)",
        "",
    ),
    "helper saves": (
        "h0 = self.a(x)\nh = self.a(h0)\n{send}\nh.mul_(2)\nreturn self.saved.sum() + h.sum()",
        "self.saved = self.b(t)",
        "IPL102",
    ),
    "helper saves, fine": (
        "h0 = self.a(x)\nh = self.a(h0)\n{send}\nh.mul_(2)\nreturn self.saved.sum() + h.sum()",
        "self.saved = t + 1",
        "",
    ),
}
#: Helpers without a `self` to keep what they saved, and what the layer cannot compute with.
KEEP_NOTHING = ("static", "function", "callable object", "view")
CASES = [
    (way, event)
    for way in WAYS
    for event, (_, do, _) in EVENTS.items()
    if not ("self." in do and way in KEEP_NOTHING)
]


@pytest.mark.parametrize(("way", "event"), CASES)
def test_a_tensor_is_the_same_for_the_helper(way: str, event: str, tmp_path: Path) -> None:
    (hand_over, parameters, take), (around, do, code) = WAYS[way], EVENTS[event]
    text = HEAD.format(
        do="t.detach()" if "self." in do else do,
        parameters=parameters,
        body=textwrap.indent(f"{take}\n{do}".strip(), " " * 8),
        forward=textwrap.indent(around.format(send=hand_over), " " * 8),
    )
    space: dict[str, Any] = {"__name__": __name__}
    exec(compile(text, "handed.py", "exec"), space)
    assert _raises(space["Net"]()) is bool(code)
    found = check_source(str(tmp_path / "handed.py"), text.encode(), Settings(), Project(root=str(tmp_path)))
    assert {one.code for one in found if one.severity == "error"} == ({code} if code else set())


def _raises(net: torch.nn.Module) -> bool:
    try:
        net(torch.randn(4, 4)).backward()
    except RuntimeError as error:
        return "inplace" in str(error)
    return False
