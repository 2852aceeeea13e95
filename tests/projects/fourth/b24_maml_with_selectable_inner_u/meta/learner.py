import torch
import torch.nn.functional as F

from . import tree


class MetaLearner:
    def __init__(self, net, updater, hp):
        self.net, self.updater, self.hp = net, updater, hp
        self.opt = torch.optim.Adam(net.parameters(), lr=hp.meta_lr)

    def loss(self, params, x, y):
        return F.mse_loss(self.net.apply_with(params, x), y)

    def adapt(self, task):
        fast = tree.clone(self.net.named())
        self.updater.start(fast)
        for _ in range(self.hp.inner_steps):
            g = tree.grad(self.loss(fast, *task.points()), fast, create_graph=True)
            fast = self.updater(fast, g)
        return fast

    def outer_step(self, tasks):
        self.opt.zero_grad()
        total = 0.0
        for task in tasks:
            fast = self.adapt(task)
            loss = self.loss(fast, *task.points(15)) / len(tasks)
            loss.backward()
            total += loss.item()
        for p in self.net.parameters():
            p.grad.clamp_(-10, 10)
        self.opt.step()
        return total
