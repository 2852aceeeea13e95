#!/usr/bin/env python
"""Free adversarial training + virtual adversarial term on unlabeled data."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


def l2_(d):
    """normalise rows in place, returns d"""
    flat = d.view(d.size(0), -1)
    flat /= flat.norm(dim=1, keepdim=True) + 1e-8
    return d


class VATLoss(nn.Module):
    def __init__(self, xi=1e-1, eps=0.5, ip=2):
        super().__init__()
        self.xi, self.eps, self.ip = xi, eps, ip

    def forward(self, model, x):
        with torch.no_grad():
            pred = F.softmax(model(x), dim=1)
        d = l2_(torch.rand_like(x).sub_(0.5))
        for _ in range(self.ip):
            d.requires_grad_()
            logp = F.log_softmax(model(x + self.xi * d), dim=1)
            adv = F.kl_div(logp, pred, reduction="batchmean")
            (g,) = torch.autograd.grad(adv, d)
            d = l2_(g)
        r = d * self.eps
        logp = F.log_softmax(model(x + r), dim=1)
        return F.kl_div(logp, pred, reduction="batchmean")


def fgsm_(noise, g, step, eps):
    noise += step * g.sign()
    noise.clamp_(-eps, eps)


def make_model(d, c):
    layers = []
    for i in range(2):
        layers += [nn.Linear(d, 24), nn.BatchNorm1d(24), nn.LeakyReLU(0.1, inplace=True)]
        d = 24
    layers += [nn.Linear(d, c)]
    return nn.Sequential(*layers)


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--replays", type=int, default=3)
    p.add_argument("--eps", type=float, default=0.2)
    p.add_argument("--epochs", type=int, default=2)
    return p.parse_args([])


def main():
    args = parse()
    torch.manual_seed(32)
    torch.set_num_threads(1)
    model = make_model(4, 2)
    opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
    vat = VATLoss()
    x_all = torch.randn(64, 4)
    y_all = (x_all[:, 0] * x_all[:, 1] > 0).long()
    unlabeled = torch.randn(64, 4)
    global_noise = torch.zeros(16, 4)
    for epoch in range(args.epochs):
        for x, y, u in zip(x_all.split(16), y_all.split(16), unlabeled.split(16)):
            for _ in range(args.replays):
                noise_batch = global_noise[: x.size(0)].clone().requires_grad_()
                logits = model(x + noise_batch)
                loss = F.cross_entropy(logits, y)
                loss += 0.3 * vat(model, u)
                opt.zero_grad()
                loss.backward()
                fgsm_(global_noise[: x.size(0)], noise_batch.grad, args.eps, args.eps)
                opt.step()
        print(epoch, round(loss.item(), 4), round(global_noise.abs().mean().item(), 4))


if __name__ == "__main__":
    main()
