"""Attention as people write it: programs combined from layout, scale, mask, softmax, dropout and spread.

Every program defines a class `Block` whose `forward(x, context, mask)` returns one tensor. `x` is (2, 6, 24),
`context` (2, 9, 24), heads are 3 of width 8.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

HEADS, WIDTH, BATCH, QUERIES, KEYS = 3, 24, 2, 6, 9


@dataclass(frozen=True)
class Form:
    """One choice of everything."""

    layout: str = "heads-second"
    scale: str = "attribute"
    mask: str = "none"
    softmax: str = "method"
    dropout: str = "none"
    spread: str = "statements"

    @property
    def name(self) -> str:
        return "/".join((self.layout, self.scale, self.mask, self.softmax, self.dropout, self.spread))

    @property
    def cross(self) -> bool:
        return "cross" in self.layout


#: layout -> (statements that make q, k, v from x and y; scores; output of weights `w`; statements that end in `out`)
LAYOUTS = {
    "fused": (
        "b, n, c = x.shape\n"
        "qkv = self.qkv(x).reshape(b, n, 3, 3, 8).permute(2, 0, 3, 1, 4)\n"
        "q, k, v = qkv[0], qkv[1], qkv[2]",
        "q @ k.transpose(-2, -1)",
        "w @ v",
        "out = out.transpose(1, 2).reshape(b, n, c)",
    ),
    "unbound": (
        "b, n, c = x.shape\n"
        "qkv = self.qkv(x).view(b, n, 3, 3, c // 3).permute(2, 0, 3, 1, 4)\n"
        "q, k, v = qkv.unbind(0)",
        "torch.matmul(q, k.mT)",
        "torch.matmul(w, v)",
        "out = out.transpose(1, 2).reshape(b, n, c)",
    ),
    "chunked": (
        "b, n, c = x.shape\n"
        "q, k, v = self.qkv(x).chunk(3, dim=-1)\n"
        "q, k, v = map(lambda t: t.reshape(b, n, 3, -1).transpose(1, 2), (q, k, v))",
        "torch.matmul(q, k.transpose(-1, -2))",
        "torch.matmul(w, v)",
        "out = out.transpose(1, 2).flatten(2)",
    ),
    "heads-second": (
        "b, n, c = x.size()\n"
        "q = self.q(x).view(b, n, 3, 8).transpose(1, 2)\n"
        "k = self.k(x).view(b, n, 3, 8).transpose(1, 2)\n"
        "v = self.v(x).view(b, n, 3, 8).transpose(1, 2)",
        "q @ k.transpose(-2, -1)",
        "w @ v",
        "out = out.transpose(1, 2).contiguous().view(b, n, c)",
    ),
    "cross": (
        "b, n, c = x.shape\n"
        "m = y.shape[1]\n"
        "q = self.q(x).view(b, n, 3, 8).transpose(1, 2)\n"
        "k = self.k(y).view(b, m, 3, 8).transpose(1, 2)\n"
        "v = self.v(y).view(b, m, 3, 8).transpose(1, 2)",
        "torch.matmul(q, k.transpose(2, 3))",
        "torch.matmul(w, v)",
        "out = out.transpose(1, 2).reshape(b, n, c)",
    ),
    "cross-split": (
        "b, n = x.shape[:2]\n"
        "q, k, v = self._split(self.q(x)), self._split(self.k(y)), self._split(self.v(y))",
        "q.matmul(k.swapaxes(-1, -2))",
        "w.matmul(v)",
        "out = out.permute(0, 2, 1, 3).reshape(b, n, 24)",
    ),
    "einsum": (
        "b, n, c = x.shape\n"
        "q = self.q(x).view(b, n, 3, 8).transpose(1, 2)\n"
        "k = self.k(x).view(b, n, 3, 8).transpose(1, 2)\n"
        "v = self.v(x).view(b, n, 3, 8).transpose(1, 2)",
        "torch.einsum('bhid,bhjd->bhij', q, k)",
        "torch.einsum('bhij,bhjd->bhid', w, v)",
        "out = out.transpose(1, 2).reshape(b, n, c)",
    ),
    "einsum-rest": (
        "b, n, c = x.shape\n"
        "q = self.q(x).view(b, n, 3, 8).transpose(1, 2)\n"
        "k = self.k(x).view(b, n, 3, 8).transpose(1, 2)\n"
        "v = self.v(x).view(b, n, 3, 8).transpose(1, 2)",
        "torch.einsum('...ie, ...je -> ...ij', q, k)",
        "torch.einsum('...ij, ...je -> ...ie', w, v)",
        "out = out.transpose(1, 2).reshape(b, n, c)",
    ),
    "cross-heads-third": (
        "b, n, c = x.shape\n"
        "q = self.q(x).view(b, n, 3, 8)\n"
        "k = self.k(y).view(b, -1, 3, 8)\n"
        "v = self.v(y).view(b, -1, 3, 8)",
        "torch.einsum('bqhd,bkhd->bhqk', [q, k])",
        "torch.einsum('bhqk,bkhd->bqhd', [w, v])",
        "out = out.reshape(b, n, c)",
    ),
    "upper-case": (
        "b, n, c = x.shape\n"
        "q = self.q(x).view(b, n, 3, 8)\n"
        "k = self.k(x).view(b, n, 3, 8)\n"
        "v = self.v(x).view(b, n, 3, 8)",
        "torch.einsum('BQHD,BKHD->BHQK', q, k)",
        "torch.einsum('BHQK,BKHD->BQHD', w, v)",
        "out = out.flatten(2)",
    ),
    "channels-first": (
        "b, n, c = x.shape\n"
        "q = self.q(x).transpose(1, 2).reshape(b, 3, 8, n)\n"
        "k = self.k(x).transpose(1, 2).reshape(b, 3, 8, n)\n"
        "v = self.v(x).transpose(1, 2).reshape(b, 3, 8, n)",
        "torch.einsum('bhci,bhcj->bhij', q, k)",
        "torch.einsum('bhij,bhcj->bhci', w, v)",
        "out = out.reshape(b, c, n).transpose(1, 2)",
    ),
    "channels-first-product": (
        "b, n, c = x.shape\n"
        "q = self.q(x).transpose(1, 2).reshape(b, 3, 8, n)\n"
        "k = self.k(x).transpose(1, 2).reshape(b, 3, 8, n)\n"
        "v = self.v(x).transpose(1, 2).reshape(b, 3, 8, n)",
        "q.transpose(-2, -1) @ k",
        "v @ w.transpose(-2, -1)",
        "out = out.reshape(b, c, n).transpose(1, 2)",
    ),
    "key-transposed": (
        "b, n, c = x.shape\n"
        "q = self.q(x).view(b, n, 3, 8).permute(0, 2, 1, 3)\n"
        "k = self.k(x).view(b, n, 3, 8).permute(0, 2, 3, 1)\n"
        "v = self.v(x).view(b, n, 3, 8).permute(0, 2, 1, 3)",
        "torch.matmul(q, k)",
        "torch.matmul(w, v)",
        "out = out.permute(0, 2, 1, 3).reshape(b, n, c)",
    ),
    "merged": (
        "b, n, c = x.shape\n"
        "q = self.q(x).view(b, n, 3, 8).transpose(1, 2).reshape(b * 3, n, 8)\n"
        "k = self.k(x).view(b, n, 3, 8).transpose(1, 2).reshape(b * 3, n, 8)\n"
        "v = self.v(x).view(b, n, 3, 8).transpose(1, 2).reshape(b * 3, n, 8)",
        "torch.bmm(q, k.transpose(1, 2))",
        "torch.bmm(w, v)",
        "out = out.view(b, 3, n, 8).transpose(1, 2).reshape(b, n, c)",
    ),
    "single": (
        "q, k, v = self.q(x), self.k(x), self.v(x)\nb, n, c = q.shape",
        "q @ k.transpose(1, 2)",
        "w @ v",
        "out = out.reshape(b, n, c)",
    ),
    "cross-cache": (
        "b, n, c = x.shape\n"
        "q, k, v = self._split(self.q(x)), self._split(self.k(x)), self._split(self.v(x))\n"
        "old = y[:, :3]\n"
        "k = torch.cat([self._split(self.k(old)), k], dim=2)\n"
        "v = torch.cat((self._split(self.v(old)), v), dim=-2)",
        "torch.matmul(q, k.transpose(-1, -2))",
        "torch.matmul(w, v)",
        "out = out.transpose(1, 2).reshape(b, n, c)",
    ),
    "shared-key": (
        "b, n, c = x.shape\n"
        "q = self.q(x).view(b, n, 3, 8).transpose(1, 2)\n"
        "k, v = self.k(x)[..., :8].reshape(b, n, 8), self.v(x)[..., :8].reshape(b, n, 8)",
        "torch.einsum('b h i d, b j d -> b h i j', q, k)",
        "torch.einsum('b h i j, b j d -> b h i d', w, v)",
        "out = out.transpose(1, 2).reshape(b, n, c)",
    ),
}
SCALES = {
    "attribute": ("", "{s} * self.scale"),
    "attribute-first": ("", "self.scale * {s}"),
    "root": ("", "{s} / math.sqrt(8)"),
    "power": ("", "{s} * 8 ** -0.5"),
    "width": ("", "{s} / (q.shape[-1] ** 0.5)"),
    "query": ("q = q * self.scale", "{s}"),
    "query-in-place": ("q *= self.scale", "{s}"),
    "both": ("q, k = q * 8 ** -0.25, k * 8 ** -0.25", "{s}"),
    "none": ("", "{s}"),
    "temperature": ("", "{s} * self.temperature"),
    "tensor": ("", "{s} / torch.sqrt(torch.tensor(8.0))"),
    "learned": ("", "{s} * self.gain"),
}

#: mask -> (statements before, statement on `s`, or an empty one); `mask` is boolean, True where a key is kept.
MASKS = {
    "none": ("", ""),
    "keep-inverted": ("", "s = s.masked_fill(~mask, float('-inf'))"),
    "keep-zero": ("", "s = s.masked_fill(mask == 0, float('-inf'))"),
    "drop": ("drop = ~mask", "s = s.masked_fill(drop, -math.inf)"),
    "in-place": ("", "s.masked_fill_(~mask, -torch.inf)"),
    "where": ("", "s = torch.where(mask, s, float('-inf'))"),
    "where-not": ("", "s = torch.where(~mask, float('-inf'), s)"),
    "finite": ("", "s = s.masked_fill(mask == 0, -1e9)"),
    "least": ("", "s = s.masked_fill(~mask, torch.finfo(s.dtype).min)"),
    "additive": (
        "added = torch.zeros_like(mask, dtype=x.dtype).masked_fill(~mask, float('-inf'))",
        "s = s + added",
    ),
    "additive-first": ("added = mask.to(x.dtype)", "s = added + s"),
    "additive-in-place": ("added = mask.to(x.dtype)", "s += added"),
    "optional": ("", "if mask is not None:\n    s = s.masked_fill(~mask, float('-inf'))"),
    "optional-additive": ("", "if mask is not None:\n    s = s + mask"),
    "bias": ("", "s = s + self.bias[:, :, : s.size(-2), : s.size(-1)]"),
    "bias-whole": ("", "s = s + self.bias_self"),
    "causal": (
        "seen = torch.tril(torch.ones(n, n, dtype=torch.bool))",
        "s = s.masked_fill(~seen, float('-inf'))",
    ),
    "causal-upper": (
        "future = torch.triu(torch.ones(n, n), diagonal=1).bool()",
        "s = s.masked_fill(future, float('-inf'))",
    ),
    "causal-buffer": ("", "s = s.masked_fill(self.seen[:, :, :n, :n] == 0, float('-inf'))"),
    "causal-added": ("future = torch.full((n, n), float('-inf')).triu(1)", "s = s + future"),
    "offset-causal": ("seen = torch.ones(n, n).tril(1)", "s = s.masked_fill(seen == 0, float('-inf'))"),
    "causal-and-keep": (
        "seen = torch.tril(torch.ones(n, n, dtype=torch.bool))",
        "s = s.masked_fill(~seen, float('-inf'))\ns = s.masked_fill(~mask, float('-inf'))",
    ),
    "bias-and-keep": ("", "s = s + self.bias_self\ns = s.masked_fill(~mask, float('-inf'))"),
}

SOFTMAXES = {
    "method": "w = s.softmax(dim=-1)",
    "method-position": "w = s.softmax(-1)",
    "function": "w = F.softmax(s, dim=-1)",
    "torch": "w = torch.softmax(s, dim=-1)",
    "module": "w = self.attend(s)",
    "last": "w = s.softmax(dim={last})",
    "float": "w = F.softmax(s, dim=-1, dtype=torch.float32).to(q.dtype)",
    "float-method": "w = s.float().softmax(dim=-1).type_as(s)",
    "written": "e = torch.exp(s - s.max(dim=-1, keepdim=True).values)\nw = e / e.sum(dim=-1, keepdim=True)",
    "written-amax": "e = (s - s.amax(-1, keepdim=True)).exp()\nw = e / e.sum(-1, keepdim=True)",
}

DROPOUTS = {
    "none": "",
    "module": "w = self.drop(w)",
    "functional": "w = F.dropout(w, p=0.25, training=self.training)",
    "attribute": "w = F.dropout(w, self.rate, self.training)",
    "torch": "w = torch.dropout(w, 0.25, self.training)",
}

SPREADS = ("statements", "one-name", "helpers", "helper-all", "printed", "nested", "commented")

CLASS = """\
import math

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, rate=0.25):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(24, 24), nn.Linear(24, 24), nn.Linear(24, 24)
        self.qkv = nn.Linear(24, 72)
        self.scale = 8 ** -0.5
        self.attend = nn.Softmax(dim=-1)
        self.drop = nn.Dropout(rate)
        self.rate = rate
        self.temperature = nn.Parameter(torch.ones(3, 1, 1) * 0.3)
        self.gain = nn.Parameter(torch.tensor(0.4))
        self.bias = nn.Parameter(torch.randn(1, 3, 16, 16))
        self.bias_self = nn.Parameter(torch.randn(3, 6, 6))
        self.register_buffer("seen", torch.tril(torch.ones(16, 16)).view(1, 1, 16, 16))
{more}
    def forward(self, x, y, mask=None):
{body}
        return out
"""

SPLIT = """
    def _split(self, t):
        b, n, c = t.shape
        return t.view(b, n, 3, c // 3).permute(0, 2, 1, 3)
"""


def source(form: Form) -> str:
    """The program of a form."""
    head, scores, product, end = LAYOUTS[form.layout]
    before, scaled = SCALES[form.scale]
    mask_before, mask_after = MASKS[form.mask]
    softmax = SOFTMAXES[form.softmax].format(last=2 if form.layout in ("merged", "single") else 3)
    drop = DROPOUTS[form.dropout]
    more = SPLIT if "_split" in head else ""
    scores_text = scaled.format(s=scores if form.scale in ("none", "query", "both") else f"({scores})")
    lines = [*head.split("\n"), *filter(None, before.split("\n")), *filter(None, mask_before.split("\n"))]
    middle = [line for text in (mask_after, softmax, drop) for line in text.split("\n") if line]
    if form.spread in ("statements", "one-name", "printed", "commented"):
        inner = [f"s = {scores_text}", *middle, f"out = {product}"]
        if form.spread == "one-name":
            inner = [_renamed(line) for line in inner]
        if form.spread == "printed":
            inner.insert(1, "print(s.shape)")
            inner.insert(-1, "assert w.shape[-1] == s.shape[-1]")
        if form.spread == "commented":
            inner = [f"{line}  # step {number}" for number, line in enumerate(inner)]
        lines += inner
    elif form.spread == "nested" and form.mask == "none" and "\n" not in softmax:
        whole = softmax.partition("= ")[2].replace("(s", f"({scores_text}").replace("s.", f"({scores_text}).")
        if not softmax.startswith(("w = F.", "w = torch.", "w = self.")):
            whole = softmax.partition("= ")[2].replace("s.", f"({scores_text}).", 1)
        if "type_as" in whole:
            whole = whole.replace("type_as(s)", "type_as(q)")
        if drop:
            whole = drop.partition("= ")[2].replace("(w", f"({whole}")
        lines += [
            f"out = {product.replace('w', whole, 1)}"
            if "'" not in product
            else f"w = {whole}\nout = {product}"
        ]
    elif form.spread == "helper-all":
        names = sorted(_free("\n".join([scores_text, *middle, product])) | {"q", "k", "v"})
        more += _method("_attention", names, [f"s = {scores_text}", *middle, f"return {product}"])
        lines += [f"out = self._attention({', '.join(names)})"]
    else:
        names = sorted(_free(scores_text) | {"q", "k"})
        more += _method("_scores", names, [f"return {scores_text}"])
        rest = sorted(_free("\n".join(middle)) - {"e", "w"} | {"s"})
        more += _method("_weights", rest, [*middle, "return w"])
        lines += [
            f"s = self._scores({', '.join(names)})",
            f"w = self._weights({', '.join(rest)})",
            f"out = {product}",
        ]
    lines += end.split("\n")
    body = "\n".join(f"        {line}" for text in lines for line in text.split("\n"))
    return CLASS.format(more=more, body=body)


def _method(name: str, names: list[str], lines: list[str]) -> str:
    body = "\n".join(f"        {line}" for text in lines for line in text.split("\n"))
    return f"\n    def {name}(self, {', '.join(names)}):\n{body}\n"


_NAMES = {"b", "n", "c", "m", "q", "k", "v", "x", "y", "mask", "drop", "added", "seen", "future", "s", "w"}


def _free(text: str) -> set[str]:
    import re

    text = re.sub(r"'[^']*'", "", text)
    words = set(re.findall(r"(?<![\w.])([a-z]\w*)", text)) & _NAMES
    return words - {"s", "w"} if "s =" in text or "w =" in text else words


def _renamed(line: str) -> str:
    """Scores and weights under one name."""
    import re

    return re.sub(r"(?<![\w.'])([sw])(?![\w'])", "a", line)


def catalogue(seed: int = 0, more: int = 60) -> list[Form]:
    """Each value of each dimension, then random combinations; those that torch cannot run are left out."""
    plain = Form()
    forms = [replace(plain, layout=one) for one in LAYOUTS]
    forms += [replace(plain, scale=one) for one in SCALES]
    forms += [replace(plain, mask=one) for one in MASKS]
    forms += [replace(plain, softmax=one) for one in SOFTMAXES]
    forms += [replace(plain, dropout=one) for one in DROPOUTS]
    forms += [replace(plain, spread=one) for one in SPREADS]
    forms += [replace(plain, layout=one, spread="helpers") for one in LAYOUTS]
    forms += [replace(plain, mask=one, spread="helpers") for one in MASKS]
    forms += [replace(plain, layout=one, mask="keep-inverted") for one in LAYOUTS]
    rng = random.Random(seed)
    while more:
        form = Form(
            rng.choice(list(LAYOUTS)),
            rng.choice(list(SCALES)),
            rng.choice(list(MASKS)),
            rng.choice(list(SOFTMAXES)),
            rng.choice(list(DROPOUTS)),
            rng.choice(SPREADS),
        )
        if runs(form):
            forms.append(form)
            more -= 1
    return list(dict.fromkeys(form for form in forms if runs(form)))


def runs(form: Form) -> bool:
    """Whether the choices fit together."""
    flat = form.layout in ("merged", "single")
    if form.cross and (
        form.mask.startswith(("causal", "offset")) or form.mask in ("bias-whole", "bias-and-keep")
    ):
        return False
    if flat and (
        form.mask not in ("none", "causal", "causal-upper", "causal-added") or form.scale == "temperature"
    ):
        return False
    if form.layout == "single" and form.scale in ("temperature",):
        return False
    if "channels-first" in form.layout and form.scale == "width":
        return False
    if form.scale == "query-in-place" and form.layout in ("fused", "unbound", "chunked"):
        return form.layout == "fused"
    if form.spread == "one-name" and form.softmax in ("written", "written-amax", "float-method"):
        return False
    if form.spread == "printed" and form.softmax.startswith("written"):
        return True
    return not (form.spread == "nested" and (form.mask != "none" or form.softmax.startswith("written")))
