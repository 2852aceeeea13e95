from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F


class SineNet(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.w1 = nn.Parameter(torch.randn(hidden, 1) * 0.5)
        self.b1 = nn.Parameter(torch.zeros(hidden))
        self.w2 = nn.Parameter(torch.randn(hidden, hidden) * 0.2)
        self.b2 = nn.Parameter(torch.zeros(hidden))
        self.w3 = nn.Parameter(torch.randn(1, hidden) * 0.2)
        self.b3 = nn.Parameter(torch.zeros(1))

    def forward(self, x, weights=None):
        w = weights if weights is not None else OrderedDict(self.named_parameters())
        h = torch.tanh(F.linear(x, w["w1"], w["b1"]))
        r = F.linear(h, w["w2"], w["b2"]).tanh_()
        return F.linear(r, w["w3"], w["b3"])


class Meta:
    def __init__(self, net, inner_lr=0.05, inner_steps=3):
        self.net = net
        self.inner_lr = inner_lr
        self.inner_steps = inner_steps
        self.optim = torch.optim.Adam(net.parameters(), lr=2e-3)

    def adapt(self, x, y):
        fast = OrderedDict(self.net.named_parameters())
        for _ in range(self.inner_steps):
            loss = F.mse_loss(self.net(x, fast), y)
            grads = torch.autograd.grad(loss, list(fast.values()), create_graph=True)
            for (name, w), g in zip(list(fast.items()), grads):
                w = w - self.inner_lr * g
                fast[name] = w
        return fast

    def outer(self, tasks):
        self.optim.zero_grad()
        total = 0.0
        meta_loss = torch.zeros(())
        for xs, ys, xq, yq in tasks:
            fast = self.adapt(xs, ys)
            meta_loss += F.mse_loss(self.net(xq, fast), yq)
            total += 1
        meta_loss /= total
        meta_loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        self.optim.step()
        return meta_loss.item()


def make_task(k=8):
    amp, phase = 0.5 + 2 * torch.rand(1), 3 * torch.rand(1)
    x = torch.empty(2 * k, 1).uniform_(-3, 3)
    y = torch.sin(x + phase)
    y *= amp
    return x[:k], y[:k], x[k:], y[k:]


if __name__ == "__main__":
    torch.manual_seed(11)
    torch.set_num_threads(1)
    meta = Meta(SineNet())
    for epoch in range(6):
        print(epoch, round(meta.outer([make_task() for _ in range(3)]), 5))
