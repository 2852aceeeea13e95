import torch
import torch.nn as nn


class KFAC(torch.optim.Optimizer):
    def __init__(self, net, lr=0.05, decay=0.9, damping=1e-2, every=2):
        self.net, self.decay, self.damping, self.every = net, decay, damping, every
        self.mods = [m for m in net.modules() if isinstance(m, nn.Linear)]
        self.A, self.G, self.inv = {}, {}, {}
        self.steps = 0
        self.collect = True
        for m in self.mods:
            m.register_forward_pre_hook(self._save_input)
            m.register_full_backward_hook(self._save_grad)
        super().__init__(net.parameters(), dict(lr=lr))

    def _ema(self, store, m, new):
        if m not in store:
            store[m] = torch.eye(new.size(0))
        store[m].mul_(self.decay).add_(new, alpha=1 - self.decay)

    def _save_input(self, m, inputs):
        if not (torch.is_grad_enabled() and self.collect):
            return
        a = inputs[0].detach()
        a = torch.cat([a, a.new_ones(a.size(0), 1)], 1)
        self._ema(self.A, m, a.t() @ a / a.size(0))

    def _save_grad(self, m, gin, gout):
        if self.collect:
            g = gout[0].detach() * gout[0].size(0)
            self._ema(self.G, m, g.t() @ g / g.size(0))

    @torch.no_grad()
    def step(self, closure=None):
        lr = self.param_groups[0]["lr"]
        for m in self.mods:
            if self.steps % self.every == 0:
                A, G = self.A[m].clone(), self.G[m].clone()
                A.diagonal().add_(self.damping)
                G.diagonal().add_(self.damping)
                self.inv[m] = (torch.linalg.inv(A), torch.linalg.inv(G))
            iA, iG = self.inv[m]
            g = torch.cat([m.weight.grad, m.bias.grad[:, None]], 1)
            v = iG @ g @ iA
            m.weight.grad.copy_(v[:, :-1])
            m.bias.grad.copy_(v[:, -1])
        nu = torch.stack([p.grad.norm() for p in self.net.parameters()]).norm()
        scale = min(1.0, 1.0 / (nu.item() + 1e-9))
        for p in self.net.parameters():
            p.add_(p.grad, alpha=-lr * scale)
        self.steps += 1
