"""Where a rewrite would not be the same function it is refused; where it is offered, it is run."""

from __future__ import annotations

import pytest

from . import compare
from .forms import Form
from .lookalikes import HEAD, SPLIT, _indented

pytestmark = pytest.mark.usefixtures("float64")

SCORES = "s = q @ k.transpose(-2, -1) * 0.3"
FUTURE = "torch.ones(n, n, dtype=torch.bool).triu(1)"
END = "out = (w @ v).transpose(1, 2).reshape(b, n, c)"
HELPERS = """
    def hide(self, s, mask):
        s.masked_fill_(mask, float("-inf"))

    def spoil(self, t):
        t.mul_(0.5)
"""
OUTSIDE = (
    "\n\ndef unknown(t):\n    import importlib\n    importlib.import_module('torch').Tensor.mul_(t, 0.5)\n"
)

#: name -> (statements, words of the reason for offering nothing); "" where a fix is offered, None for silence
CASES: dict[str, tuple[str, str | None]] = {
    "plain": (f"{SPLIT}\n{SCORES}\nw = s.softmax(-1)\n{END}", ""),
    "weights-stored": (f"{SPLIT}\n{SCORES}\nw = s.softmax(-1)\nself.seen = w\n{END}", "stored"),
    "weights-changed": (f"{SPLIT}\n{SCORES}\nw = s.softmax(-1)\nw = w * 0.9\n{END}", "changed"),
    "weights-thresholded": (
        f"{SPLIT}\n{SCORES}\nw = s.softmax(-1)\nw = torch.where(w > 0.1, w, 0.0)\n{END}",
        "changed",
    ),
    "weights-printed": (f"{SPLIT}\n{SCORES}\nw = s.softmax(-1)\nprint(w)\n{END}", "printed"),
    "weights-tested": (
        f"{SPLIT}\n{SCORES}\nw = s.softmax(-1)\nif w.max() > 2:\n    x = x + 1\n{END}",
        "condition",
    ),
    "weights-used-again": (f"{SPLIT}\n{SCORES}\nw = s.softmax(-1)\n{END}\nout = out + w.mean()", "returned"),
    "scores-used-again": (
        f"{SPLIT}\n{SCORES}\nw = s.softmax(-1)\n{END}\nout = out + s.logsumexp(-1).mean()",
        "returned",
    ),
    "shape-of-scores-used": (
        f"{SPLIT}\n{SCORES}\nrows = s.shape[2]\nw = s.softmax(-1)\n{END}\nout = out * rows",
        "read",
    ),
    "helper-masks-in-place": (
        f"{SPLIT}\n{SCORES}\nself.hide(s, {FUTURE})\nw = s.softmax(-1)\n{END}",
        "is also read",
    ),
    "alias-masked": (
        f"{SPLIT}\n{SCORES}\nother = s\ns.masked_fill_({FUTURE}, float('-inf'))\n"
        f"w = other.softmax(-1)\n{END}",
        "",
    ),
    "view-written": (f"{SPLIT}\n{SCORES}\ns.view(-1).zero_()\nw = s.softmax(-1)\n{END}", "a write"),
    "item-written": (f"{SPLIT}\n{SCORES}\ns[..., 0] = 1.0\nw = s.softmax(-1)\n{END}", "a write"),
    "query-changed-later": (
        f"{SPLIT}\n{SCORES}\nq = q.clone()\nq.mul_(2)\nw = s.softmax(-1)\n{END}",
        "no name",
    ),
    "query-changed-by-a-helper": (
        f"{SPLIT}\nq = q.clone()\ns = torch.bmm(q.flatten(0, 1), k.flatten(0, 1).mT)\ns = s.unflatten(0, (b, 3))\n"
        f"self.spoil(q)\nw = s.softmax(-1)\n{END}",
        None,
    ),
    "key-handed-on": (
        f"{SPLIT}\nk = k.clone()\ns = q @ k.transpose(-2, -1)\nunknown(k.detach())\nw = s.softmax(-1)\n{END}",
        "another function",
    ),
    "no-grad-around-scores": (
        f"{SPLIT}\nwith torch.no_grad():\n    s = q @ k.transpose(-2, -1)\n    x = x + 0\nw = s.softmax(-1)\n{END}",
        "`with`",
    ),
    "detached-scores": (f"{SPLIT}\n{SCORES}\nw = s.detach().softmax(-1)\n{END}", "detach"),
    "scaled-on-one-path": (
        f"{SPLIT}\n{SCORES}\nif n > 3:\n    s = s * 2\nw = s.softmax(-1)\n{END}",
        "one path",
    ),
    "other-scores-on-one-path": (
        f"{SPLIT}\n{SCORES}\nif n > 3:\n    s = k @ q.transpose(-2, -1)\nw = s.softmax(-1)\n{END}",
        "different products",
    ),
    "soft-cap": (f"{SPLIT}\n{SCORES}\ns = 5 * torch.tanh(s / 5)\nw = s.softmax(-1)\n{END}", "tanh"),
    "two-products": (
        f"{SPLIT}\n{SCORES}\ns = s + v @ k.transpose(-2, -1)\nw = s.softmax(-1)\n{END}",
        "second product",
    ),
    "small-fill": (
        f"{SPLIT}\n{SCORES}\ns = s.masked_fill({FUTURE}, -1.0)\nw = s.softmax(-1)\n{END}",
        "large and negative",
    ),
    "masked-before-a-learned-scale": (
        f"{SPLIT}\ns = (q @ k.transpose(-2, -1)).masked_fill({FUTURE}, float('-inf'))\n"
        f"w = (s * self.temperature).softmax(-1)\n{END}",
        "unknown sign",
    ),
    "scale-for-each-query": (
        f"{SPLIT}\ns = q @ k.transpose(-2, -1) * self.graph[:, :1]\nw = s.softmax(-1)\n{END}",
        "differs between queries",
    ),
    "number-added": (f"{SPLIT}\n{SCORES}\ns = s + 1.0\nw = s.softmax(-1)\n{END}", "number is added"),
    "dropped-before-softmax": (
        f"{SPLIT}\n{SCORES}\nw = F.dropout(s, 0.1, self.training).softmax(-1)\n{END}",
        "dropout",
    ),
    "dropped-twice": (
        f"{SPLIT}\n{SCORES}\nw = F.dropout(F.dropout(s.softmax(-1), 0.1, self.training), 0.1, self.training)\n{END}",
        "twice",
    ),
    "one-name-for-all": (
        f"{SPLIT}\nq = q @ k.transpose(-2, -1)\nq = q.softmax(-1)\nq = q @ v\nout = q.flatten(1)",
        "as well as",
    ),
    "triangle-one-off": (
        f"{SPLIT}\n{SCORES}\ns = s.masked_fill(torch.ones(n, n).tril(1) == 0, float('-inf'))\nw = s.softmax(-1)\n{END}",
        "",
    ),
    "triangle-of-another-length": (
        f"{SPLIT}\nold = self.heads(self.k(y))\nk = torch.cat([old, k], 2)\n"
        "v = torch.cat([self.heads(self.v(y)), v], 2)\n"
        "m = k.shape[2]\n"
        f"{SCORES}\ns = s.masked_fill(torch.ones(m, m, dtype=torch.bool).triu(1)[m - n : m, :m], float('-inf'))\n"
        f"w = s.softmax(-1)\n{END}",
        "",
    ),
    "mask-over-permuted-scores": (
        "b, n, c = x.shape\nq, k, v = (f(x).view(b, n, 3, 8) for f in (self.q, self.k, self.v))\n"
        "s = torch.einsum('bqhd,bkhd->bqhk', q, k)\n"
        f"s = s.masked_fill({FUTURE}[:, None], float('-inf'))\nw = s.softmax(-1)\n"
        "out = torch.einsum('bqhk,bkhd->bqhd', w, v).flatten(2)",
        "another order",
    ),
    "gated-output": (
        f"{SPLIT}\n{SCORES}\nw = s.softmax(-1)\nout = (w @ v) * torch.sigmoid(v)\nout = out.flatten(1)",
        "",
    ),
    "inside-a-loop": (
        f"{SPLIT}\nfor _ in range(2):\n    s = q @ k.transpose(-2, -1)\n    w = s.softmax(-1)\n    v = w @ v\n"
        "out = v.transpose(1, 2).reshape(b, n, c)",
        "",
    ),
    "several-statements-a-line": (f"{SPLIT}\n{SCORES}; w = s.softmax(-1)\n{END}", "several statements"),
    "comments": (f"{SPLIT}\n{SCORES}  # the scores\n# over the keys\nw = s.softmax(-1)  # '#'\n{END}", ""),
}


@pytest.mark.parametrize("name", CASES)
def test_fix_is_refused_or_right(name: str) -> None:
    body, reason = CASES[name]
    text = HEAD + _indented(body, 8) + "\n        return out\n" + HELPERS + OUTSIDE
    given = compare.inputs(Form(layout="cross"), 5)
    one = compare.run(text, 3, given, 10**9, set(), True)
    found = compare.plans(text)
    if reason is None:
        assert found == []
        return
    (plan,) = found
    if plan.refused is None:
        fixed = compare.rewritten(text, plan)
        other = compare.run(fixed, 3, given, 10**9, set(), True)
        assert compare.worst(one, other) < compare.TOLERANCE, fixed
        assert other.kernel_calls
        assert fixed.count("#") == text.count("#")
    assert (plan.refused or "") == reason or (reason and reason in (plan.refused or "")), plan.refused


@pytest.mark.parametrize("order", ["0, 2, 2, 1", "0, 2, 1, 1", "0, 4, 1, 2"])
def test_axes_that_are_named_twice_are_no_order(order: str) -> None:
    """torch raises for such a program; the tool says what it can, and does not fail."""
    lines = [SPLIT, f"k = k.contiguous().permute({order})", SCORES, "w = s.softmax(-1)", END]
    text = HEAD + _indented("\n".join(lines), 8) + "\n        return out\n"
    assert len(compare.plans(text)) <= 1
