"""Reptile on small synthetic few-shot classification."""
import copy
import argparse
import torch
import torch.nn as nn
import torch.nn.functional as F

ap = argparse.ArgumentParser()
ap.add_argument('--ways', type=int, default=3)
ap.add_argument('--shots', type=int, default=4)
ap.add_argument('--inner', type=int, default=3)
ap.add_argument('--inner-lr', type=float, default=0.05)
ap.add_argument('--meta-lr', type=float, default=0.5)
ap.add_argument('--meta-iters', type=int, default=2)
ap.add_argument('--meta-batch', type=int, default=2)


class FewShotTask:
    def __init__(self, ways, d=8):
        self.protos = torch.randn(ways, d).mul_(2)
        self.protos /= self.protos.norm(dim=1, keepdim=True)
        self.ways = ways

    def draw(self, k):
        y = torch.arange(self.ways).repeat_interleave(k)
        x = self.protos[y]
        x += 0.2 * torch.randn_like(x)
        drop = torch.rand_like(x) < 0.1
        x[drop] = 0.0
        return x, y


class Learner(nn.Module):
    def __init__(self, ways, d=8, h=16):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(d, h), nn.Linear(h, h)
        self.gain = nn.Parameter(torch.ones(h))
        self.head = nn.Linear(h, ways)

    def reset_head(self):
        with torch.no_grad():
            self.head.weight.normal_(0, 0.01)
            self.head.bias.zero_()

    def forward(self, x):
        h = F.relu_(self.fc1(x))
        z = self.fc2(h)
        z += h
        z = F.layer_norm(z, z.shape[-1:])
        return self.head(z * self.gain)


def adapt(model, task, steps, lr, shots):
    for _ in range(steps):
        x, y = task.draw(shots)
        loss = F.cross_entropy(model(x), y)
        model.zero_grad()
        loss.backward()
        with torch.no_grad():
            for p in model.parameters():
                p.grad.clamp_(-1, 1)
                p.sub_(p.grad, alpha=lr)
    return loss.item()


@torch.no_grad()
def interpolate_(target, mean_delta, eps):
    for p, d in zip(target.parameters(), mean_delta):
        p.add_(d, alpha=eps)
        d.zero_()


def accuracy(model, task, shots):
    x, y = task.draw(shots)
    with torch.no_grad():
        scores = model(x).softmax(-1)
        scores[scores < 1e-3] = 0
    return (scores.argmax(1) == y).float().mean().item()


def meta_train(args):
    meta = Learner(args.ways)
    delta = [torch.zeros_like(p) for p in meta.parameters()]
    for it in range(args.meta_iters):
        eps = args.meta_lr * (1 - it / args.meta_iters)
        for _ in range(args.meta_batch):
            fast = copy.deepcopy(meta)
            fast.reset_head()
            adapt(fast, FewShotTask(args.ways), args.inner, args.inner_lr, args.shots)
            with torch.no_grad():
                for d, a, b in zip(delta, fast.parameters(), meta.parameters()):
                    d += (a - b) / args.meta_batch
        interpolate_(meta, delta, eps)
    return meta


# --- driver ---
torch.manual_seed(0)
args = ap.parse_args([])
meta = meta_train(args)
accuracy(meta, FewShotTask(args.ways), args.shots)
