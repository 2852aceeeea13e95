import torch


class GradualPruner:
    """Cubic sparsity schedule over magnitude scores."""

    def __init__(self, model, final, begin, end, every):
        self.layers = model.masked_layers()
        self.final, self.begin, self.end, self.every = final, begin, end, every

    def target(self, t):
        f = min(max((t - self.begin) / (self.end - self.begin), 0.0), 1.0)
        return self.final * (1 - (1 - f) ** 3)

    @torch.no_grad()
    def update(self, t):
        if t < self.begin or t > self.end or t % self.every:
            return
        frac = self.target(t)
        for l in self.layers:
            k = int(frac * l.weight.numel())
            if k == 0:
                continue
            score = l.weight.abs().flatten()
            drop = score.topk(k, largest=False).indices
            l.mask.fill_(1.0).view(-1)[drop] = 0.0  # BUG

    def sparsity(self):
        zeros = sum((l.mask == 0).sum().item() for l in self.layers)
        return zeros / sum(l.mask.numel() for l in self.layers)
