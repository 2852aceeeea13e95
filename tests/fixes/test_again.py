"""A fix keeps a change that the same write reads again: on the next turn of a loop, or in a target of its value."""

from __future__ import annotations

import pytest

from inplace_lint.fixes.apply import fix_source

from .test_holders import HEAD, TAIL, lint, values

torch = pytest.importorskip("torch")

#: Programs in which a write uses what it wrote on an earlier turn, or a target depends on it.
PROGRAMS = {
    "a loop": "h = torch.exp(x)\nfor _ in range(3):\n    q = h.mul_(0.5)\nout = [q]",
    "a loop that binds the result": "h = torch.exp(x)\nout = []\nfor i in range(3):\n    out.append(h.mul_(0.5).sum())",
    "a loop that stops by the result": (
        "h = torch.exp(x)\nn = 0\nwhile (s := h.mul_(0.5).sum()) > 0.1 and n < 9:\n    n += 1\nout = [s, n]"
    ),
    "a comprehension": "h = torch.exp(x)\nout = [h.mul_(0.5).sum() for _ in range(3)]",
    "a generator": "h = torch.exp(x)\nout = list(h.mul_(0.5).sum() for _ in range(3))",
    "a flag in a comprehension": (
        "h = torch.exp(x)\nout = [torch.nn.functional.leaky_relu(h.sub_(1), 0.5, inplace=True).sum() for _ in range(2)]"
    ),
    "the key of what is assigned": (
        "h = torch.sigmoid(x)\ntable = {}\ntable[bool(h.sum() > 3)] = h.mul_(2)\nout = [*table.items()][0]\n"
        "out = [out[0], out[1]]"
    ),
    "the index of a list": (
        "h = torch.sigmoid(x)\nrows = [None, None]\nrows[int(h.sum() > 3)] = h.mul_(2)\n"
        "out = [rows[0] is None, *(one for one in rows if one is not None)]"
    ),
}
#: ... and in which it does not.
ANEW = {
    "bound at the top of each turn": (
        "out = []\nfor i in range(3):\n    h = torch.exp(x)\n    out.append(h.mul_(0.5).sum())"
    ),
    "bound by the loop": (
        "out = []\nfor h in [torch.exp(x), torch.exp(x) + 1]:\n    out.append((h * 1).exp().mul_(2).sum())"
    ),
    "two writes in a row": "h = torch.exp(x)\nq = h.mul_(0.5)\nout = [q * 1]",
}


def in_function(body: str) -> str:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return f"{HEAD}\n\ndef f(x):\n{lines}\n    return out\n\n\nout = f(x)\n{TAIL}"


@pytest.mark.parametrize("what", PROGRAMS)
def test_no_safe_fix_loses_what_is_read_again(what: str) -> None:
    program = in_function(PROGRAMS[what])
    found = [one for one in lint(program.encode()) if one.code.startswith("IPL1")]
    assert found
    fixed = fix_source(program.encode(), lambda _, found: found, lint, unsafe=False).source.decode()
    assert values(fixed) == values(program)


@pytest.mark.parametrize("what", ANEW)
def test_a_name_that_is_bound_anew_is_mended(what: str) -> None:
    program = in_function(ANEW[what])
    fixed = fix_source(program.encode(), lambda _, found: found, lint, unsafe=False).source.decode()
    assert fixed != program
    assert values(fixed) == values(program)
