"""Few-shot classification: MAML / first-order MAML with torch.func."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call


class ConvNet4(nn.Module):
    def __init__(self, ways, width=8):
        super().__init__()
        self.features = nn.Sequential(
            *self._block(1, width), *self._block(width, width), nn.AdaptiveAvgPool2d(1), nn.Flatten()
        )
        self.classifier = nn.Linear(width, ways)

    @staticmethod
    def _block(cin, cout):
        return nn.Conv2d(cin, cout, 3, padding=1), nn.GroupNorm(2, cout), nn.ReLU(inplace=True), nn.MaxPool2d(2)

    def forward(self, x):
        return self.classifier(self.features(x))


class InnerLoop:
    """Per-parameter learnable step sizes (Meta-SGD)."""

    def __init__(self, model, lr=0.1, steps=2, first_order=False, clip=5.0):
        self.model, self.steps, self.first_order, self.clip = model, steps, first_order, clip
        self.rates = {n: nn.Parameter(torch.full_like(p, lr)) for n, p in model.named_parameters()}

    def parameters(self):
        return list(self.rates.values())

    def gradients(self, params, x, y):
        loss = F.cross_entropy(functional_call(self.model, params, (x,)), y)
        grads = torch.autograd.grad(loss, params.values(), create_graph=not self.first_order)
        if self.first_order:
            for g in grads:
                g.clamp_(-self.clip, self.clip)
        return dict(zip(params, grads))

    def __call__(self, x, y):
        params = dict(self.model.named_parameters())
        for _ in range(self.steps):
            grads = self.gradients(params, x, y)
            params = {n: p - self.rates[n] * grads[n] for n, p in params.items()}
        return params


class EpisodeSampler:
    def __init__(self, ways=3, shots=2, queries=3, size=8):
        self.ways, self.shots, self.queries, self.size = ways, shots, queries, size

    def __call__(self):
        proto = torch.randn(self.ways, 1, self.size, self.size)
        n = self.shots + self.queries
        x = proto.repeat_interleave(n, 0)
        x += 0.3 * torch.randn_like(x)
        x.clamp_(-3, 3)
        y = torch.arange(self.ways).repeat_interleave(n)
        is_support = (torch.arange(len(y)) % n) < self.shots
        return (x[is_support], y[is_support]), (x[~is_support], y[~is_support])


def meta_train(model, inner, sampler, steps, tasks=2):
    opt = torch.optim.Adam([*model.parameters(), *inner.parameters()], lr=1e-3)
    for step in range(steps):
        opt.zero_grad()
        accuracy = torch.zeros(())
        for _ in range(tasks):
            support, (xq, yq) = sampler()
            fast = inner(*support)
            logits = functional_call(model, fast, (xq,))
            (F.cross_entropy(logits, yq) / tasks).backward()
            accuracy += (logits.argmax(1) == yq).float().mean() / tasks
        opt.step()
        with torch.no_grad():
            for r in inner.parameters():
                r.clamp_(min=1e-4)
        print(step, f"acc {accuracy.item():.3f}")


# --- driver ---
def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    for first_order in (True, False):
        model = ConvNet4(ways=3)
        meta_train(model, InnerLoop(model, first_order=first_order), EpisodeSampler(), steps=2)


if __name__ == "__main__":
    main()
