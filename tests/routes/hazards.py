"""Each rule as two halves, `first(x)` and `second(m, x)`: where Python leads from one to the other, it speaks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Hazard:
    """What `first` computes, and what `second` does with it: `bad`, or `good`, of which the rule says nothing.

    `torch`: what PyTorch says of the bad one: it raises, gradients are silently wrong, or they are right (attention:
    its cost, and what it computes, are no matter of gradients).
    """

    code: str
    first: str
    bad: str
    good: str
    torch: str = "raises"


HAZARDS = {
    "a result": Hazard(
        "IPL101",
        "return x.exp()",
        "m.add_(1)\nreturn m",
        "return m.add(1)",
    ),
    "an input": Hazard(
        "IPL102",
        "h = x * 2\nreturn h, h.sin()",
        "h, s = m\nh.add_(1)\nreturn s",
        "h, s = m\nreturn s + h.add(1)",
    ),
    "a leaf": Hazard(
        "IPL103",
        "return nn.Parameter(torch.ones(4))",
        "m.add_(1)\nreturn m * x",
        "with torch.no_grad():\n    m.add_(1)\nreturn m * x",
    ),
    "one of several views": Hazard(
        "IPL104",
        "return (x * 2).unbind(0)",
        "m[0].add_(1)\nreturn m[1]",
        "return m[0].add(1) + m[1]",
    ),
    "an expanded tensor": Hazard(
        "IPL105",
        "return x.mean(-1, keepdim=True).expand(2, 4, 4)",
        "m.add_(1)\nreturn m",
        "return m.add(1)",
    ),
    "a view made without recording": Hazard(
        "IPL108",
        "s = torch.zeros_like(x)\nwith torch.no_grad():\n    return s[1:], s",
        "v, s = m\nv.add_(x[1:])\nreturn s",
        "v, s = m\nreturn s[1:] + x[1:]",
    ),
    "memory behind the counter": Hazard(
        "IPL201",
        "return x.exp()",
        "m.data.mul_(3)\nreturn m",
        "return m.mul(3)",
        "silent",
    ),
    "memory that numpy shares": Hazard(
        "IPL202",
        "h = x.exp()\nreturn h.detach().numpy(), h",
        "a, h = m\na += 3\nreturn h",
        "a, h = m\nb = a + 3\nreturn h * float(b.max())",
        "silent",
    ),
    "attention": Hazard(
        "IPL401",
        "return (x @ x.mT).softmax(-1)",
        "return m @ x",
        "return m.mean(-1, keepdim=True) * x",
        "right",
    ),
    "a triangle for the kernel": Hazard(
        "IPL403",
        "b, s, c = x.shape\nreturn torch.ones(s, s, dtype=torch.bool).tril()",
        "return F.scaled_dot_product_attention(x, x, x, attn_mask=m)",
        "return F.scaled_dot_product_attention(x, x, x, attn_mask=m & (x[:, :, :1] > 0.1).mT)",
        "right",
    ),
    "repeated heads for the kernel": Hazard(
        "IPL404",
        "return x.unsqueeze(1).repeat_interleave(2, dim=-3)",
        "q = torch.stack([x, x], 1)\nreturn F.scaled_dot_product_attention(q, m, m)[:, 0]",
        "q = torch.stack([x, x], 1)\nreturn F.scaled_dot_product_attention(q, m + q, m)[:, 0]",
        "right",
    ),
    "dropout of the kernel": Hazard(
        "IPL501",
        "return 0.1",
        "return F.scaled_dot_product_attention(x, x, x, dropout_p=m)",
        "return F.scaled_dot_product_attention(x * m, x, x)",
        "right",
    ),
    "a layout for the kernel": Hazard(
        "IPL502",
        "h = nn.Linear(4, 4)(x)\nb, s, c = h.shape\nreturn h.view(b, s, 2, c // 2)",
        "return F.scaled_dot_product_attention(m, m, m).flatten(2)",
        "m = m.transpose(1, 2)\nreturn F.scaled_dot_product_attention(m, m, m).transpose(1, 2).flatten(2)",
        "right",
    ),
    "a mask for the kernel": Hazard(
        "IPL503",
        "return torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)",
        "return F.scaled_dot_product_attention(x, x, x, attn_mask=m)",
        "return F.scaled_dot_product_attention(x, x, x, attn_mask=~m)",
        "right",
    ),
    "a cache for the kernel": Hazard(
        "IPL504",
        "return torch.cat([x.detach(), x], 1)",
        "return F.scaled_dot_product_attention(x, m, m, is_causal=True)",
        "return F.scaled_dot_product_attention(x, m, m)",
        "right",
    ),
}
