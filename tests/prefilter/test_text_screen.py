"""What is looked at at all: a screening that may mark too much, never too little."""

from __future__ import annotations

import pytest

from inplace_lint.prefilter.text_screen import rows_of, with_candidates
from inplace_lint.syntax.module import Module


def rows(text: str) -> list[int]:
    return rows_of(Module("x.py", text.encode()))


@pytest.mark.parametrize(
    "text",
    [
        "a.add_(1)",
        "torch.relu_(a)",
        "a += b",
        "a[0] += 'x' in b",
        "a[i], b = c",
        "(a[i], *b[j]) = c",
        "a[:, 0] = 1",
        "nn.ReLU(inplace=True)",
        "nn.ReLU(inplace=flag)",
        "nn.ReLU(True)",
        "nn.Dropout(0.5, True)",
        f"nn.Dropout({'0.5 + ' * 60}0.1, True)",
        "torch.exp(a, out=a)",
        "loss.backward(); optimizer.step()",
    ],
)
def test_what_may_write_is_marked(text: str) -> None:
    assert rows(f"import torch\n\n{text}\n") == [3]


@pytest.mark.parametrize(
    "text",
    [
        "d['k'] = 1",
        "d[f'{k}'] = 1",
        "d[k + '.weight'] = 1",
        "d[k.replace('a', 'b')] = 1",
        "s += 'x'",
        "xs += [y]",
        "xs += (y, z)",
        "xs += [y for y in z]",
        "x == y == z <= w",
        "f.__init__(x)",
        "x.requires_grad_first_(1)",
        "nn.ReLU(inplace=False)",
        "f(bias=True, k=1)",
        "stages = (None, True, False)",
        "stages = [None, True, False]",
        "optimizer.step()",
    ],
)
def test_what_cannot_write_a_tensor_is_passed_over(text: str) -> None:
    assert rows(f"import torch\n\n{text}\n") == []


def test_only_methods_that_use_what_was_built_to_work_in_place_are_looked_at() -> None:
    text = (
        "class Block(nn.Module):\n    def __init__(self):\n        depth = 0\n        depth += 1\n"
        "        self.act = nn.ReLU(inplace=True)\n        self.action = nn.ReLU()\n\n"
        "    def forward(self, x):\n        return self.act(x)\n\n"
        "    def other(self, x):\n        return self.action(x)\n"
    )
    chosen = with_candidates(Module("x.py", text.encode()))
    assert [function.name for function in chosen] == ["forward"]


def test_method_that_counts_or_replaces_what_was_built_does_not_run_it() -> None:
    module = Module(
        "m.py",
        b"import torch.nn as nn\n\n\nclass Net(nn.Module):\n"
        b"    def __init__(self):\n        self.acts = nn.ModuleList([nn.ReLU(inplace=True)])\n\n"
        b"    def cut(self, n):\n        self.acts = self.acts[: n + 1]\n        return len(self.acts)\n\n"
        b"    def drop(self):\n        self.acts = nn.Identity()\n\n"
        b"    def run(self, x):\n        self.acts = self.acts[0](x)\n",
    )
    assert [function.name for function in with_candidates(module)] == ["run"]


@pytest.mark.parametrize(
    ("parameters", "body"),
    [
        ("", "layers = [nn.ReLU(True)]\n        self.body = nn.Sequential(*layers)"),
        ("", "layers = []\n        layers.append(nn.ReLU(True))\n        self.body = nn.Sequential(*layers)"),
        ("", "for act in (nn.ReLU(True), nn.SiLU(True)):\n            self.body = act"),
        (", act=nn.ReLU(inplace=True)", "self.body = act"),
        ("", "self.act = nn.ReLU(True)\n        self.body = nn.Sequential(conv, self.act)"),
        ("", "self.add_module('body', nn.ReLU(True))"),
        ("", "self.body = nn.Sequential()\n        self.body.append(nn.ReLU(True))"),
    ],
)
def test_what_is_built_in_place_is_followed_to_the_attributes_that_hold_it(
    parameters: str, body: str
) -> None:
    text = (
        f"class Block(nn.Module):\n    def __init__(self{parameters}):\n        {body}\n"
        "        self.head = nn.Linear(4, 4)\n\n"
        "    def forward(self, x):\n        return self.body(x)\n\n"
        "    def other(self, x):\n        return self.head(x)\n"
    )
    chosen = with_candidates(Module("x.py", text.encode()))
    assert [function.name for function in chosen if function.name != "__init__"] == ["forward"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("at = 0\n        for depth in depths:\n            at += depth", []),
        ("width *= 2\n        self.conv = nn.Conv2d(3, width, 1)", []),
        ("nn.init.zeros_(self.bias)", []),
        ("stride = 1\n        stride *= 2\n        nn.init.zeros_(self.bias)", []),
        ("self.tokens = 1 if width else 0\n        self.tokens += depths", []),
        ("self.scale = data if width else 0\n        self.scale += 1", ["__init__"]),
        ("scale = nn.Parameter(data)\n        scale *= 2", ["__init__"]),
        ("self.weight.fill_(1.0)", ["__init__"]),
        ("depths += 1", ["__init__"]),
    ],
)
def test_an_init_is_looked_at_where_it_may_write_a_tensor(body: str, expected: list[str]) -> None:
    text = (
        "from torch import nn\n\n\nclass Block(nn.Module):\n"
        f"    def __init__(self, data, depths, width: int):\n        {body}\n"
    )
    chosen = with_candidates(Module("x.py", text.encode()))
    assert [function.name for function in chosen] == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("n = 0\n    for row in x:\n        n += 1\n    return n", []),
        ("out = {}\n    for k in x:\n        out[k] = x[k]\n    return out", []),
        ("n = 0\n    n += x\n    n += x\n    return n", ["f"]),
        ("out = {}\n    out[0] = x\n    out[0] += 1\n    return out", ["f"]),
        ("n = 0\n    if flag:\n        n = x.exp()\n    n += 1\n    return n", ["f"]),
        ("n = 0\n    for n in x:\n        n += 1\n    return n", ["f"]),
        ("n = 0\n    (n, m) = x\n    n += 1\n    return n", ["f"]),
        ("n = 0\n    if (n := x.exp()):\n        pass\n    n += 1\n    return n", ["f"]),
        ("x += 1\n    return x", ["f"]),
    ],
)
def test_counters_and_containers_of_its_own_are_no_reason_to_look_at_a_function(
    body: str, expected: list[str]
) -> None:
    chosen = with_candidates(Module("x.py", f"def f(x, flag):\n    {body}\n".encode()))
    assert [function.name for function in chosen] == expected


def test_the_writes_of_a_file_without_functions_are_listed_once() -> None:
    module = Module("a.py", b"import torch\n\nx = torch.ones(3)\nx[0] += 1\n")
    for _ in range(3):
        assert module.functions_in_order() == []
    assert [statement.lineno for statement in module.writing] == [4]
