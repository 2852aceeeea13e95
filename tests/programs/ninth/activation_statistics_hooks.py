import collections
import functools

import torch
import torch.nn as nn


class Welford:
    def __init__(self, dim):
        self.n = torch.zeros(())
        self.mean, self.m2 = torch.zeros(dim), torch.zeros(dim)

    def push(self, rows):
        for r in rows:
            self.n += 1
            delta = r - self.mean
            self.mean.add_(delta / self.n)
            self.m2.addcmul_(delta, r - self.mean)

    @property
    def std(self):
        return (self.m2 / self.n.clamp(min=2).sub_(1)).sqrt_()


class ActivationMonitor:
    def __init__(self, model, kinds=(nn.Linear,)):
        self.stats, self.dead, self.handles = {}, {}, []
        for name, m in model.named_modules():
            if isinstance(m, kinds):
                self.handles.append(m.register_forward_hook(functools.partial(self._fwd, name)))
                self.handles.append(m.register_full_backward_hook(functools.partial(self._bwd, name)))
        self.grad_hist = collections.defaultdict(lambda: torch.zeros(8))

    def _fwd(self, name, module, args, out):
        rows = out.detach().clone()
        if name not in self.stats:
            self.stats[name] = Welford(rows.size(-1))
            self.dead[name] = torch.ones(rows.size(-1), dtype=torch.bool)
        self.stats[name].push(rows)
        self.dead[name] &= rows.le(0).all(0)
        rows.relu_().div_(rows.amax().clamp_(min=1e-6))
        module.peak = rows.mean().item()

    def _bwd(self, name, module, gin, gout):
        mag = gout[0].abs().add_(1e-12).log10_().clamp_(-8, -0.01).neg_()
        self.grad_hist[name] += torch.histc(mag, 8, 0, 8)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        for h in self.handles:
            h.remove()
        self.handles.clear()


def whiten_outputs(weight, out_std):
    """Grad hook that rescales rows by activation spread."""
    def hook(grad):
        grad = grad.clone()
        grad /= out_std[:, None].clamp(min=0.1)
        return grad
    return weight.register_hook(hook)


class Net(nn.Module):
    def __init__(self, d=6, h=10, out=2, depth=2):
        super().__init__()
        dims = [d] + [h] * depth
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims, dims[1:]))
        self.out = nn.Linear(h, out)

    def forward(self, x):
        for lin in self.layers:
            x = torch.relu(lin(x))
        return self.out(x)


@torch.no_grad()
def revive(model, monitor, gen):
    """Draws new incoming weights for units that never fired."""
    for name, mod in model.named_modules():
        dead = monitor.dead.get(name)
        if dead is None or not dead.any():
            continue
        fresh = torch.empty_like(mod.weight).normal_(0, 0.3, generator=gen)
        mod.weight[dead] = fresh[dead]
        mod.bias[dead] = 0
        dead.zero_()


def train(model, data, lr=0.05):
    opt = torch.optim.SGD(model.parameters(), lr=lr)
    gen = torch.Generator().manual_seed(1)
    with ActivationMonitor(model) as mon:
        for x, y in data:
            loss = nn.functional.cross_entropy(model(x), y)
            handle = whiten_outputs(model.out.weight, mon.stats["out"].std)
            opt.zero_grad()
            loss.backward()
            handle.remove()
            opt.step()
            revive(model, mon, gen)
        return loss.item(), {k: v.tolist() for k, v in mon.grad_hist.items()}


# --- driver ---
torch.manual_seed(24)
print(train(Net(), [(torch.randn(5, 6), torch.randint(0, 2, (5,))) for _ in range(2)]))
