import torch
from attnlib import build_attention
from attnlib.masking import causal


def run():
    m = build_attention("softmax", 8, 2)
    x = torch.randn(2, 5, 8, requires_grad=True)
    o = m(x, causal(5))
    o.sum().backward()
    return [o, x.grad]


run()
