import random

import torch
import torch.nn as nn


class Energy(nn.Module):
    def __init__(self, d, h=32):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(d, h), nn.Linear(h, h), nn.Linear(h, 1)

    def forward(self, x):
        h = self.a(x)
        h = h * torch.sigmoid(h)
        h2 = self.b(h)
        h2 += h
        return self.c(nn.functional.leaky_relu_(h2, 0.1)).squeeze(1)


class Sampler:
    def __init__(self, net, d, max_len=256):
        self.net, self.d, self.max_len = net, d, max_len
        self.examples = [torch.rand(1, d) * 2 - 1 for _ in range(48)]

    def sample(self, n, steps=10, step_size=0.05):
        n_new = max(1, n // 10)
        x = torch.cat([torch.rand(n_new, self.d) * 2 - 1] + random.choices(self.examples, k=n - n_new))
        x = self.langevin(x, steps, step_size)
        self.examples = list(x.split(1)) + self.examples
        self.examples = self.examples[: self.max_len]
        return x

    def langevin(self, x, steps, step_size):
        training = self.net.training
        self.net.eval()
        for p in self.net.parameters():
            p.requires_grad = False
        x.requires_grad = True
        noise = torch.empty_like(x)
        for _ in range(steps):
            noise.normal_(0, 0.01)
            x.data.add_(noise)
            x.data.clamp_(-2, 2)
            e = self.net(x)
            e.sum().backward()
            x.grad.data.clamp_(-0.5, 0.5)
            x.data.add_(x.grad.data, alpha=-step_size)
            x.grad.detach_()
            x.grad.zero_()
        for p in self.net.parameters():
            p.requires_grad = True
        self.net.train(training)
        return x.detach().clone()
