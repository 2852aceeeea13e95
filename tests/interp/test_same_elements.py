"""What is read of an unknown object twice by equal keys is one tensor, and by other keys it is another."""

from __future__ import annotations

import pytest

import inplace_lint

READ = """\
from torch import nn

layer = nn.Linear(3, 3)


class Holder:
    def __init__(self, parts, table=None):
        self.parts, self.table = parts, table or {{}}

    def step(self, a, i, j, key):
        y = layer({one})
        {other}.mul_(2)
        return y.sum()
"""
ONE = (
    *(
        "a.b",
        'a["k"]',
        "a[0]",
        "a.b.c",
        "a.b[0]",
        'a["k"]["j"]',
        'a.get("k")',
        'getattr(a, "b")',
        "a[i]",
        "a[-1]",
    ),
    *("a[i + 1]", "a[i % 2]", "a[i // 2]", "a[i][j]", "a[key]", "a[key, i]", 'a[f"{i}_x"]', "a[str(i)]"),
    *(
        "a[len(a) - 1]",
        "a[i].b",
        "a.b[i].c",
        "a[i + 1].b",
        "self.parts[0]",
        "self.parts[i]",
        "self.table[key]",
    ),
)
OTHERS = (
    *(
        ("a.b", "a.c"),
        ('a["k"]', 'a["j"]'),
        ("a[0]", "a[1]"),
        ("a.b.c", "a.b.d"),
        ('a.get("k")', 'a.get("j")'),
    ),
    *(
        ("a[i]", "a[i + 1]"),
        ("a[i + 1]", "a[i - 1]"),
        ("a[i % 2]", "a[i % 3]"),
        ("a[i]", "a[j]"),
        ("a[0]", "a[-1]"),
    ),
    *(
        ('a[f"{i}_x"]', 'a[f"{i}_y"]'),
        ('a[f"{i}_x"]', 'a[f"{j}_x"]'),
        ("a[i].b", "a[j].b"),
        ("a[i].b", "a[i].c"),
    ),
    *(("self.parts[i]", "self.parts[i + 1]"), ('self.table["a"]', 'self.table["b"]'), ("a.pop()", "a.pop()")),
)


def _told(one: str, other: str) -> list[str]:
    """The codes of the findings IPL1xx, those included that are only possible: nothing tells that these are tensors."""
    source = READ.format(one=one, other=other)
    found = inplace_lint.check(source, "a.py", {"min-confidence": "possible"}).diagnostics
    return [each.code for each in found if each.code < "IPL2"]


@pytest.mark.parametrize("one", ONE)
def test_equal_keys_give_one_tensor(one: str) -> None:
    assert _told(one, one) == ["IPL102"]


@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_other_keys_give_another(one: str, other: str) -> None:
    assert _told(one, other) == []
