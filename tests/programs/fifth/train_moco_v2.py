"""MoCo v2 with a queue, an MLP head and a kNN monitor. One file."""
import argparse
import copy
import math
import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument('--dim', default=8, type=int)
parser.add_argument('--K', default=12, type=int)
parser.add_argument('--m', default=0.95, type=float)
parser.add_argument('--T', default=0.2, type=float)
parser.add_argument('--lr', default=0.05, type=float)
parser.add_argument('--epochs', default=2, type=int)


class Backbone(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, 2, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 8, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(8)
        self.mlp = nn.Sequential(nn.Linear(8, 16), nn.ReLU(inplace=True), nn.Linear(16, dim))

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)), inplace=True)
        y = self.bn2(self.conv2(x))
        y += x
        y = F.relu(y, inplace=True)
        return F.normalize(self.mlp(y.mean((2, 3))), dim=1)


class MoCo(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.args = args
        self.q = Backbone(args.dim)
        self.k = copy.deepcopy(self.q)
        self.k.requires_grad_(False)
        self.register_buffer('queue', F.normalize(torch.randn(args.dim, args.K), dim=0))
        self.register_buffer('ptr', torch.zeros((), dtype=torch.long))

    @torch.no_grad()
    def momentum_step(self):
        for a, b in zip(self.k.parameters(), self.q.parameters()):
            a.mul_(self.args.m).add_(b, alpha=1 - self.args.m)

    @torch.no_grad()
    def enqueue(self, keys):
        p, n = int(self.ptr), keys.size(0)
        self.queue[:, p:p + n] = keys.T
        self.ptr.add_(n).remainder_(self.args.K)

    def forward(self, a, b):
        q = self.q(a)
        with torch.no_grad():
            self.momentum_step()
            perm = torch.randperm(b.size(0))
            k = self.k(b[perm])[perm.argsort()]
        pos = (q * k).sum(1, keepdim=True)
        neg = q @ self.queue.clone().detach()
        logits = torch.cat([pos, neg], 1)
        logits /= self.args.T
        self.enqueue(k)
        return logits, torch.zeros(len(q), dtype=torch.long)


def augment(x):
    x = x.clone()
    x[:, :, :2] = 0
    x.add_(0.1 * torch.randn_like(x)).clamp_(-3, 3)
    return x


def main(args, images):
    model = MoCo(args)
    opt = torch.optim.SGD(model.q.parameters(), args.lr, momentum=0.9)
    for epoch in range(args.epochs):
        for g in opt.param_groups:
            g['lr'] = args.lr * 0.5 * (1 + math.cos(math.pi * epoch / args.epochs))
        for x in images.split(4):
            logits, y = model(augment(x), augment(x))
            loss = F.cross_entropy(logits, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
    return model


# --- driver ---
torch.manual_seed(0)
main(parser.parse_args([]), torch.randn(4, 3, 8, 8))
