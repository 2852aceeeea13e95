#!/usr/bin/env python
"""MAML on sinusoids (functional model, second order)."""
import argparse
from collections import OrderedDict

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)


class SineTask(object):
    def __init__(self, amp, phase):
        self.amp, self.phase = amp, phase

    def sample(self, k):
        x = torch.rand(k, 1)
        x.mul_(10).sub_(5)
        y = self.amp * torch.sin(x + self.phase)
        return x, y


class Learner(nn.Module):
    def __init__(self, hidden=20):
        super().__init__()
        self.fc1 = nn.Linear(1, hidden)
        self.fc2 = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, 1)

    def functional_forward(self, x, w):
        x = F.linear(x, w['fc1.weight'], w['fc1.bias'])
        x = F.relu(x, inplace=True)
        x = F.linear(x, w['fc2.weight'], w['fc2.bias'])
        x = F.relu(x, inplace=True)
        return F.linear(x, w['out.weight'], w['out.bias'])


class MetaLearner(object):
    def __init__(self, args):
        self.net = Learner()
        self.inner_lr = args.inner_lr
        self.num_inner = args.num_inner
        self.meta_opt = torch.optim.Adam(self.net.parameters(), lr=args.meta_lr)

    def clone_weights(self):
        return OrderedDict((name, p.clone()) for name, p in self.net.named_parameters())

    def adapt(self, x, y):
        weights = self.clone_weights()
        for _ in range(self.num_inner):
            loss = F.mse_loss(self.net.functional_forward(x, weights), y)
            grads = torch.autograd.grad(loss, list(weights.values()), create_graph=True)
            for (name, w), g in zip(weights.items(), grads):
                w -= self.inner_lr * g  # BUG
        return weights

    def meta_step(self, tasks, k=5):
        meta_loss = 0.
        for task in tasks:
            fast = self.adapt(*task.sample(k))
            xq, yq = task.sample(k)
            meta_loss += F.mse_loss(self.net.functional_forward(xq, fast), yq)
        meta_loss /= len(tasks)
        self.meta_opt.zero_grad()
        meta_loss.backward()
        self.meta_opt.step()
        return meta_loss.item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--inner_lr', type=float, default=0.01)
    p.add_argument('--meta_lr', type=float, default=1e-3)
    p.add_argument('--num_inner', type=int, default=1)
    p.add_argument('--meta_batch', type=int, default=3)
    p.add_argument('--iterations', type=int, default=4)
    args = p.parse_args()
    rng = np.random.RandomState(0)
    learner = MetaLearner(args)
    for it in range(args.iterations):
        tasks = [SineTask(rng.uniform(0.1, 5), rng.uniform(0, np.pi)) for _ in range(args.meta_batch)]
        print('iter', it, 'meta loss %.4f' % learner.meta_step(tasks))


main()
