"""Multi-task trainer with gradient accumulation and a loss balancer."""
import argparse
import itertools
from collections import defaultdict
import torch
from torch import nn


def build_parser():
    p = argparse.ArgumentParser()
    p.add_argument('--tasks', nargs='+', default=['depth', 'normal'])
    p.add_argument('--accum', type=int, default=2)
    p.add_argument('--lr', type=float, default=1e-2)
    p.add_argument('--hidden', type=int, default=16)
    p.add_argument('--temp', type=float, default=2.0)
    return p


TASK_DIM = {'depth': 1, 'normal': 3, 'seg': 4}


class MultiHead(nn.Module):
    def __init__(self, args, d_in=6):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(d_in, args.hidden), nn.ELU(), nn.Linear(args.hidden, args.hidden), nn.ELU())
        self.heads = nn.ModuleDict({t: nn.Linear(args.hidden, TASK_DIM[t]) for t in args.tasks})

    def forward(self, x):
        h = self.trunk(x)
        return {t: head(h) for t, head in self.heads.items()}


class Balancer:
    """Dynamic weight averaging over the last two epochs."""

    def __init__(self, tasks, temp):
        self.w = {t: torch.ones(()) for t in tasks}
        self.prev = {t: torch.ones(()) for t in tasks}
        self.temp = temp

    @torch.no_grad()
    def update(self, losses):
        ratios = torch.stack([losses[t] / self.prev[t] for t in self.w])
        ratios.div_(self.temp).exp_()
        ratios.mul_(len(self.w) / ratios.sum())
        for r, t in zip(ratios, self.w):
            self.w[t].copy_(r)
            self.prev[t].copy_(losses[t])


class MultiTaskTrainer:
    def __init__(self, args):
        self.args = args
        self.model = MultiHead(args)
        self.opt = torch.optim.SGD(self.model.parameters(), lr=args.lr)
        self.balancer = Balancer(args.tasks, args.temp)
        self.meters = defaultdict(float)

    def losses(self, x, ys):
        out = self.model(x)
        return {t: nn.functional.l1_loss(out[t], ys[t]) for t in self.args.tasks}

    def epoch(self, batches):
        running = defaultdict(float)
        total = 0.0
        for i, (x, ys) in enumerate(batches, 1):
            ls = self.losses(x, ys)
            total = total + sum(self.balancer.w[t] * l for t, l in ls.items()) / self.args.accum
            for t, l in ls.items():
                running[t] = running[t] + l.detach()
            if i % self.args.accum == 0:
                self.opt.zero_grad()
                total.backward(retain_graph=True)
                self.opt.step()  # BUG
                self.meters['loss'] += float(total)
        self.balancer.update(running)
        return dict(self.meters)


def toy_batches(args, n, bs=4):
    for _ in itertools.repeat(None, n):
        yield torch.randn(bs, 6), {t: torch.randn(bs, TASK_DIM[t]) for t in args.tasks}


# --- driver ---
torch.manual_seed(0)
args = build_parser().parse_args([])
MultiTaskTrainer(args).epoch(toy_batches(args, 4))
