"""Keyword spotting for an 8 bit DSP: the ranges of the activations are limited through hooks during training."""
import torch
from torch import nn
import torch.nn.functional as F


class TCBlock(nn.Module):
    def __init__(self, ch, k, dil):
        super().__init__()
        self.conv = nn.Conv1d(ch, ch, k, dilation=dil, padding=dil * (k - 1) // 2)
        self.act = nn.Softplus()
        self.gate = nn.Conv1d(ch, ch, 1)

    def forward(self, x):
        y = self.act(self.conv(x))
        return x + y * torch.sigmoid(self.gate(y))


class KeywordNet(nn.Module):
    def __init__(self, mfcc=10, ch=12, words=5):
        super().__init__()
        self.stem = nn.Conv1d(mfcc, ch, 1)
        self.tanh = nn.Tanh()
        self.blocks = nn.Sequential(*(TCBlock(ch, 3, 2**i) for i in range(2)))
        self.head = nn.Linear(ch, words)

    def forward(self, x):
        return self.head(self.blocks(self.tanh(self.stem(x))).mean(-1))


class RangeLimiter:
    """Registers forward hooks; keeps running ranges and saturates what is outside of the representable interval."""

    def __init__(self, module, kinds, limit, momentum=0.1):
        self.limit, self.momentum = limit, momentum
        self.stats, self.handles = {}, []
        for name, m in module.named_modules():
            if isinstance(m, kinds):
                self.handles.append(m.register_forward_hook(self._make(name)))

    def _make(self, name):
        def track(out):
            lo, hi = out.detach().aminmax()
            old = self.stats.setdefault(name, torch.stack([lo, hi]))
            old.lerp_(torch.stack([lo, hi]), self.momentum)

        def hook(module, args, out):
            track(out)
            out.clamp_(-self.limit, self.limit)  # BUG

        return hook

    def remove(self):
        while self.handles:
            self.handles.pop().remove()


def augment(x, max_shift=3):
    shifts = torch.randint(-max_shift, max_shift + 1, (len(x),)).tolist()
    out = torch.stack([xi.roll(s, -1) for xi, s in zip(x, shifts)])
    f = int(torch.randint(0, x.shape[1], ()))
    out[:, f] = 0.0
    return out


def train(net, limiter, batches):
    opt = torch.optim.SGD(net.parameters(), 0.05, momentum=0.9)
    for x, y in batches:
        opt.zero_grad()
        loss = F.cross_entropy(net(augment(x)), y)
        loss.backward()
        opt.step()
        print(loss.item(), {k: v.tolist() for k, v in limiter.stats.items()})


# --- driver ---
torch.manual_seed(40)
net = KeywordNet()
lim = RangeLimiter(net, (nn.Tanh,), limit=0.75)
train(net, lim, [(torch.randn(6, 10, 16), torch.randint(0, 5, (6,))) for _ in range(3)])
