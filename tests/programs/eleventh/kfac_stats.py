"""Collects Kronecker factors with hooks and preconditions the gradients of linear layers with them."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Factor:
    """A damped running second moment."""

    def __init__(self, dim, decay=0.95):
        self.value = torch.eye(dim)
        self.decay = decay

    def absorb(self, rows):
        self.value.mul_(self.decay).add_(rows.t() @ rows / rows.shape[0], alpha=1 - self.decay)

    def inverse(self, damping):
        eye = torch.eye(self.value.shape[0])
        return torch.cholesky_inverse(torch.linalg.cholesky(self.value + damping * eye))


class KroneckerStats:
    def __init__(self, model, decay=0.95, centre=True):
        self.centre = centre
        self.inputs, self.outputs, self.handles = {}, {}, []
        for name, mod in model.named_modules():
            if isinstance(mod, nn.Linear):
                self.inputs[name] = Factor(mod.in_features, decay)
                self.outputs[name] = Factor(mod.out_features, decay)
                self.handles.append(mod.register_forward_hook(self._on_input(name)))
                self.handles.append(mod.register_full_backward_hook(self._on_grad(name)))

    def _on_input(self, name):
        def hook(module, args, output):
            rows = args[0].detach().flatten(0, -2)
            if self.centre:
                rows -= rows.mean(0)  # BUG
            self.inputs[name].absorb(rows)
        return hook

    def _on_grad(self, name):
        def hook(module, grad_in, grad_out):
            rows = grad_out[0].detach().flatten(0, -2)
            self.outputs[name].absorb(rows * rows.shape[0])
        return hook

    def close(self):
        for h in self.handles:
            h.remove()


class Preconditioner:
    def __init__(self, model, stats, damping=0.1, every=2):
        self.model, self.stats, self.damping, self.every = model, stats, damping, every
        self.cache, self.calls = {}, 0

    @torch.no_grad()
    def apply(self):
        refresh = self.calls % self.every == 0
        self.calls += 1
        for name, mod in self.model.named_modules():
            if name not in self.stats.inputs:
                continue
            if refresh:
                self.cache[name] = (self.stats.outputs[name].inverse(self.damping),
                                    self.stats.inputs[name].inverse(self.damping))
            left, right = self.cache[name]
            mod.weight.grad.copy_(left @ mod.weight.grad @ right)


class Surrogate(nn.Module):
    """Emulator of a small simulator: parameters in, response curve out."""

    def __init__(self, n_in=5, n_out=8, width=16):
        super().__init__()
        self.inp = nn.Linear(n_in, width)
        self.mid = nn.Linear(width, width)
        self.out = nn.Linear(width, n_out)

    def forward(self, x):
        h = F.silu(self.inp(x))
        h = h + F.silu(self.mid(h))
        return self.out(h)


def simulator(theta):
    t = torch.linspace(0, 1, 8)
    return torch.sin(theta[:, :1] * 3 * t) + theta[:, 1:2] * t + theta[:, 2:].prod(1, keepdim=True)


# --- driver ---
torch.manual_seed(0)
net = Surrogate()
stats = KroneckerStats(net)
pre = Preconditioner(net, stats)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(4):
    theta = torch.rand(24, 5)
    opt.zero_grad()
    F.mse_loss(net(theta), simulator(theta)).backward()
    pre.apply()
    opt.step()
stats.close()
