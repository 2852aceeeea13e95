import torch
import torch.nn as nn


class CurveModel(nn.Module):
    def curve(self, t):
        raise NotImplementedError

    def forward(self, t):
        return self.curve(t.unsqueeze(-1))

    def describe(self):
        return {k: [round(x, 3) for x in v.tolist()] for k, v in self.named_parameters()}


class MixtureOfExponentials(CurveModel):
    def __init__(self, k):
        super().__init__()
        self.rates = nn.Parameter(torch.linspace(0.2, 1.5, k))
        self.weights = nn.Parameter(torch.full((k,), 1.0 / k))

    def curve(self, t):
        return (torch.exp(-self.rates * t) * self.weights).sum(-1)


class LogisticCurve(CurveModel):
    def __init__(self):
        super().__init__()
        self.mid = nn.Parameter(torch.tensor([1.0]))
        self.slope = nn.Parameter(torch.tensor([1.0]))

    def curve(self, t):
        return torch.sigmoid(self.slope * (t - self.mid)).squeeze(-1)
