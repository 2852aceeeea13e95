import torch
import torch.nn.functional as F


def init_params(sizes):
    params = {}
    for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        params[f"w{i}"] = (torch.randn(b, a) * 0.3).requires_grad_()
        params[f"b{i}"] = torch.zeros(b, requires_grad=True)
    return params


def forward(params, x):
    n = len(params) // 2
    for i in range(n):
        x = F.linear(x, params[f"w{i}"], params[f"b{i}"])
        if i < n - 1:
            x = torch.tanh(x)
    return x
