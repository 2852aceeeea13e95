"""Tests of a loop counter that tell the second round from the others: torch says which programs are refused."""

from __future__ import annotations

import pytest

from .in_torch import spoils, told

torch = pytest.importorskip("torch")

BODIES = {
    "saved behind the inner loop": """
    out = 0
    for g in range(m):
        for p in range(n):
            if p == 0:
                pass
            elif p == 1:
                o = x.exp()
                s = x.cos()
            else:
                s += x.sin()
        out = out + o / s
    return out
""",
    "written in the third round": """
    out = 0
    for g in range(m):
        for p in range(n):
            if p == 1:
                s = x.exp()
            elif p > 1:
                s += x.sin()
        out = out + x / s
    return out
""",
    "saved and written in one round": """
    out = 0
    for g in range(m):
        for p in range(n):
            if p == 1:
                s = x.exp()
            elif p > 1:
                s = x.cos() * s
                s += x.sin()
        out = out + x / s
    return out
""",
    "the first round in the else branch": """
    out = 0
    for p in range(n):
        if p == 1:
            s = x.exp()
        elif p > 1:
            s += x.sin()
        else:
            s = x.sin()
    return out + s
""",
    "the first two rounds at once": """
    out = 0
    for p in range(n):
        if p < 2:
            s = x.sin()
        else:
            s = s.exp()
            s += x
    return out + s
""",
    "the first two rounds at once, nothing saved": """
    for p in range(n):
        if p <= 1:
            s = x.exp()
        else:
            s = s + 1
            s += x
    return s
""",
    "by enumerate": """
    ys = [x.exp(), x.exp(), x.exp()] * n
    for p, y in enumerate(ys):
        if p == 1:
            s = y
        elif p >= 2:
            s = s * y
            s += x
    return s
""",
    "written in the second round alone": """
    s = x.exp()
    for p in range(n):
        if p == 1:
            s += x
    return s
""",
    "written in the third round alone": """
    s = x.exp()
    for p in range(n):
        if p == 2:
            s += x
    return s
""",
}


@pytest.mark.parametrize("name", BODIES)
def test_the_second_round_of_a_loop(name: str) -> None:
    source = "import torch\n\n\ndef run(x, n, m):" + BODIES[name]
    names: dict[str, object] = {}
    exec(source, names)
    result = names["run"](torch.rand(3, 3, requires_grad=True), 12, 3)  # type: ignore[operator]
    assert told(source) == (["IPL101"] if spoils(result) else [])
