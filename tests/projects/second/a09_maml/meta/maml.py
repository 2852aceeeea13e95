import torch
import torch.nn.functional as F

from .inner import inner_step


class MAML:
    def __init__(self, net, inner_lr=0.1, inner_steps=2, outer_lr=1e-3):
        self.net = net
        self.inner_lr, self.inner_steps = inner_lr, inner_steps
        self.opt = torch.optim.Adam(net.parameters(), outer_lr)

    def adapt(self, x, y):
        fast = [p.clone() for p in self.net.parameters()]
        for _ in range(self.inner_steps):
            loss = F.mse_loss(self.net(x, fast), y)
            fast = inner_step(loss, fast, self.inner_lr)
        return fast

    def step(self, tasks):
        total = 0.0
        for (xs, ys), (xq, yq) in tasks:
            fast = self.adapt(xs, ys)
            total = total + F.mse_loss(self.net(xq, fast), yq)
        self.opt.zero_grad()
        total.backward()
        self.opt.step()
        return total.item()
