"""Universal adversarial perturbation learned against a small classifier."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class SmallConvNet(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(inplace=True), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d(1),
        )
        self.fc = nn.Linear(16, classes)

    def forward(self, x):
        return self.fc(self.features(x).flatten(1))


class Attack:
    name = "base"

    def __init__(self, model, eps):
        self.model, self.eps = model, eps

    def run(self, loader):
        raise NotImplementedError


class UniversalPerturbation(Attack):
    name = "uap"

    def __init__(self, model, eps=0.3, alpha=0.05, targeted=None):
        super().__init__(model, eps)
        self.alpha, self.targeted = alpha, targeted

    def objective(self, x, y, delta):
        logits = self.model((x + delta).clamp(0, 1))
        if self.targeted is not None:
            return -F.cross_entropy(logits, torch.full_like(y, self.targeted))
        return F.cross_entropy(logits, y)

    def run(self, loader, epochs=1):
        self.model.eval()
        shape = next(iter(loader))[0].shape[1:]
        delta = torch.zeros(1, *shape).uniform_(-1e-3, 1e-3).requires_grad_(True)
        for _ in range(epochs):
            for x, y in loader:
                loss = self.objective(x, y, delta)
                grad, = torch.autograd.grad(loss, delta)
                delta += self.alpha * grad.sign()  # BUG
                delta = delta.detach().clamp(-self.eps, self.eps).requires_grad_(True)
        return delta.detach()


class RandomNoise(Attack):
    name = "noise"

    def run(self, loader):
        shape = next(iter(loader))[0].shape[1:]
        return torch.empty(1, *shape).uniform_(-self.eps, self.eps)


ATTACKS = {c.name: c for c in (UniversalPerturbation, RandomNoise)}


@torch.no_grad()
def fooling_rate(model, loader, delta):
    changed = total = 0
    for x, _ in loader:
        a = model(x).argmax(1)
        b = model((x + delta).clamp_(0, 1)).argmax(1)
        changed += (a != b).sum().item()
        total += x.size(0)
    return changed / total


# --- driver ---
torch.manual_seed(0)
net = SmallConvNet()
loader = [(torch.rand(4, 1, 8, 8), torch.randint(0, 4, (4,))) for _ in range(2)]
delta = ATTACKS["uap"](net, eps=0.2).run(loader)
fooling_rate(net, loader, delta)
