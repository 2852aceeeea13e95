import collections
import torch
import torch.nn as nn
import torch.nn.functional as F


class ForwardHookSet:
    """Registers one callable on every sub-module of the given types; removable."""

    def __init__(self, model, types, fn):
        self.handles = []
        for name, mod in model.named_modules():
            if isinstance(mod, types):
                self.handles.append(mod.register_forward_hook(self._bind(name, fn)))

    @staticmethod
    def _bind(name, fn):
        def hook(module, args, output):
            return fn(name, module, output)
        return hook

    def remove(self):
        while self.handles:
            self.handles.pop().remove()


class ActivationStats:
    def __init__(self):
        self.rows = collections.defaultdict(list)

    def __call__(self, name, module, out):
        o = out.detach()
        self.rows[name].append((o.mean().item(), o.std().item(), (o.abs() > 0.97).float().mean().item()))

    def report(self):
        for k, v in self.rows.items():
            m, s, sat = v[-1]
            print(f"{k:>12s} mean {m:+.3f} std {s:.3f} saturated {sat:.2%}")


class ChannelSuppressor:
    """Structured dropout on whole channels, chosen once and kept for the epoch."""

    def __init__(self, rate):
        self.rate, self.masks = rate, {}

    def new_epoch(self):
        self.masks.clear()

    def __call__(self, name, module, out):
        if not module.training:
            return None
        if name not in self.masks:
            keep = torch.rand(out.shape[1]) >= self.rate
            self.masks[name] = keep.to(out.dtype)
        m = self.masks[name].view(1, -1, *[1] * (out.dim() - 2))
        return out.mul_(m)  # BUG


class SpeechTagger(nn.Module):
    def __init__(self, n_mels=16, classes=6):
        super().__init__()
        self.c1 = nn.Conv1d(n_mels, 24, 5, padding=2)
        self.a1 = nn.Tanh()
        self.c2 = nn.Conv1d(24, 24, 5, padding=2, stride=2)
        self.a2 = nn.Tanh()
        self.fc = nn.Linear(48, classes)

    def forward(self, mel):
        h = self.a2(self.c2(self.a1(self.c1(mel))))
        pooled = torch.cat([h.mean(-1), h.amax(-1)], 1)
        return self.fc(pooled)


def epochs(n, per):
    for e in range(n):
        yield e, ((torch.randn(4, 16, 30), torch.randint(0, 6, (4,))) for _ in range(per))


# --- driver ---
torch.manual_seed(0)
model = SpeechTagger()
stats = ActivationStats()
supp = ChannelSuppressor(0.2)
hooks = [ForwardHookSet(model, nn.Tanh, stats), ForwardHookSet(model, (nn.Tanh,), supp)]
opt = torch.optim.Adam(model.parameters(), 1e-3)
for e, batches in epochs(2, 2):
    supp.new_epoch()
    for mel, y in batches:
        loss = F.cross_entropy(model(mel), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    stats.report()
for h in hooks:
    h.remove()
