"""What an attention costs grows with its text, whatever conditions it stands under: work is counted, not timed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project import Project, Settings

HEAD = "import torch\nimport torch.nn.functional as F\n\n\n"


def _function(parameters: str, n: int, body: list[str]) -> str:
    tests = ", ".join(f"t{i}" for i in range(n))
    return HEAD + f"def f({parameters}, {tests}):\n" + "".join(f"    {line}\n" for line in body)


def optional_masks(n: int) -> str:
    body = ["s = q @ k.transpose(-2, -1)"]
    for i in range(n):
        body += [f"if t{i} is not None:", f"    s = s.masked_fill(t{i} == 0, float('-inf'))"]
    return _function("q, k, v", n, [*body, "return s.softmax(-1) @ v"])


def optional_masks_behind_one(n: int) -> str:
    return optional_masks(n).replace("transpose(-2, -1)\n", "transpose(-2, -1) + q.new_zeros(3, 3)\n", 1)


def optional_weights(n: int) -> str:
    body = ["w = (q @ k.transpose(-2, -1)).softmax(-1)"]
    for i in range(n):
        body += [f"if t{i}:", "    w = w.contiguous()"]
    return _function("q, k, v", n, [*body, "return w @ v"])


def swapped(n: int) -> str:
    body = [line for i in range(n) for line in (f"if t{i}:", "    q, k = k, q")]
    return _function("q, k, v", n, [*body, "return F.scaled_dot_product_attention(q, k, v)"])


def swapped_pairs(n: int) -> str:
    body = ["p, r = (q, k), (k, q)"]
    body += [line for i in range(n) for line in (f"if t{i}:", "    p, r = r, p")]
    return _function("q, k, v", n, [*body, "a, b = p", "return F.scaled_dot_product_attention(a, b, v)"])


def swapped_functions(n: int) -> str:
    body = ["g, h = torch.relu, torch.tanh"]
    body += [line for i in range(n) for line in (f"if t{i}:", "    g, h = h, g")]
    return _function("q, k, v", n, [*body, "return (g(q) @ k.mT).softmax(-1) @ v"])


def squared_sizes(n: int) -> str:
    body = ["m = q.shape[1]", *["m = m * m"] * n, "q = q.reshape(2, m, 3, -1)"]
    return _function("q, k, v", 1, [*body, "return (q @ k.mT / m).softmax(-1) @ v"])


def squared_factors(n: int) -> str:
    body = ["c = torch.tensor(2.0)", *["c = c * c"] * n]
    return _function("q, k, v", 1, [*body, "return (q @ k.mT * c).softmax(-1) @ v"])


def early_returns(n: int) -> str:
    body = [line for i in range(n) for line in (f"if t{i}:", f"    return (q @ k.mT * {i}).softmax(-1) @ v")]
    return _function("q, k, v", n, [*body, "return v"])


def one_after_another(n: int) -> str:
    body = ["s = q @ k.mT * 0.125", "p = s.softmax(-1)", "q = p @ v"] * n
    return _function("q, k, v", 1, [*body, "return q"])


FAMILIES = (
    optional_masks,
    optional_masks_behind_one,
    optional_weights,
    swapped,
    swapped_pairs,
    swapped_functions,
    squared_sizes,
    squared_factors,
    early_returns,
    one_after_another,
)


def work(text: str, limit: int) -> int:
    """The calls of functions that a check makes; it ends once they are more than the limit."""
    count = 0

    def counts(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"
        if count > limit:
            raise KeyboardInterrupt

    sys.setprofile(counts)
    try:
        check_source("grown.py", text.encode(), Settings(), Project())
    except KeyboardInterrupt:
        pass
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("family", FAMILIES, ids=lambda one: one.__name__)
def test_work_does_not_double_with_each_condition(family: Callable[[int], str]) -> None:
    work(family(2), 10**9)  # what is loaded and made once
    few = work(family(12), 10**7)
    assert work(family(36), 30 * few) <= 12 * few


def test_function_that_is_too_long_is_named() -> None:
    body = "    q = q + 1.0\n" * 4000 + "    return (q @ k.mT).softmax(-1) @ v\n"
    text = "def f(q, k, v):\n" + body + "\n\ndef g(q, k, v):\n    return (q @ k.mT).softmax(-1) @ v\n"
    found = check_source("long.py", text.encode(), Settings(), Project())
    assert {(one.code, one.location.row) for one in found} == {("IPL003", 1), ("IPL401", 4006)}
