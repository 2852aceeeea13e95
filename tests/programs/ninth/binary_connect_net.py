import torch
import torch.nn as nn
import torch.nn.functional as F


class BinaryRegistry:
    """Keeps full-precision copies of the weights that get binarised for the forward pass."""

    def __init__(self, model, skip_first=True):
        self.targets = [m.weight for m in model.modules() if isinstance(m, (nn.Linear, nn.Conv2d))]
        if skip_first:
            self.targets = self.targets[1:]
        self.saved = [w.detach().clone() for w in self.targets]

    def store(self):
        for s, w in zip(self.saved, self.targets):
            s.copy_(w.detach())

    def binarize(self):
        self.store()
        for w in self.targets:
            scale = w.data.abs().mean()
            w.data.sign_().mul_(scale)

    def restore(self):
        for s, w in zip(self.saved, self.targets):
            w.data.copy_(s)  # BUG silent

    def __enter__(self):
        self.binarize()
        return self

    def __exit__(self, *exc):
        self.restore()


class BNet(nn.Module):
    def __init__(self, classes=4, ch=6):
        super().__init__()
        self.c1 = nn.Conv2d(1, ch, 3, padding=1)
        self.b1 = nn.BatchNorm2d(ch)
        self.c2 = nn.Conv2d(ch, ch, 3, stride=2, padding=1)
        self.b2 = nn.BatchNorm2d(ch)
        self.fc = nn.Linear(ch * 16, classes)

    def forward(self, x):
        x = F.hardtanh(self.b1(self.c1(x)))
        x = F.hardtanh(self.b2(self.c2(x)))
        return self.fc(x.flatten(1))


def clip_latent(registry, bound=1.0):
    with torch.no_grad():
        for w in registry.targets:
            w.clamp_(-bound, bound)


def squared_hinge(logits, y):
    t = torch.full_like(logits, -1.0)
    t.scatter_(1, y[:, None], 1.0)
    return F.relu(1 - t * logits).pow(2).mean()


def accuracy(logits, y):
    return (logits.argmax(1) == y).float().mean().item()


def train_binary(model, batches, lr=1e-2):
    registry = BinaryRegistry(model)
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    accs = []
    for x, y in batches:
        with registry:
            logits = model(x)
            loss = squared_hinge(logits, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        clip_latent(registry)
        accs.append(accuracy(logits, y))
    return accs


# --- driver ---
torch.manual_seed(29)
net = BNet()
print(train_binary(net, [(torch.randn(4, 1, 8, 8), torch.randint(0, 4, (4,))) for _ in range(2)]))
