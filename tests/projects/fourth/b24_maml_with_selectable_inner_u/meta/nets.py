import torch
import torch.nn as nn
import torch.nn.functional as F


class FunctionalMLP(nn.Module):
    def __init__(self, dims):
        super().__init__()
        self.w = nn.ParameterList(nn.Parameter(torch.randn(b, a) / a ** 0.5) for a, b in zip(dims, dims[1:]))
        self.b = nn.ParameterList(nn.Parameter(torch.zeros(b)) for b in dims[1:])

    def named(self):
        return dict(self.named_parameters())

    def apply_with(self, params, x):
        n = len(self.w)
        for i in range(n):
            x = F.linear(x, params[f"w.{i}"], params[f"b.{i}"])
            if i < n - 1:
                x = torch.tanh(x)
        return x
