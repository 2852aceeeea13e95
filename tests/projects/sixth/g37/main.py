import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


def mlp(i, h, o):
    return nn.Sequential(nn.Linear(i, h), nn.BatchNorm1d(h), nn.ReLU(inplace=True), nn.Linear(h, o))


class BYOL(nn.Module):
    def __init__(self, d=8, h=32, p=12, tau=0.97):
        super().__init__()
        self.online_encoder = nn.Sequential(mlp(d, h, h), nn.ReLU(inplace=True), mlp(h, h, p))
        self.predictor = mlp(p, h, p)
        self.target_encoder = copy.deepcopy(self.online_encoder)
        for q in self.target_encoder.parameters():
            q.requires_grad = False
        self.tau = tau

    @torch.no_grad()
    def update_target(self):
        for o, t in zip(self.online_encoder.parameters(), self.target_encoder.parameters()):
            t.lerp_(o, 1 - self.tau)
        for o, t in zip(self.online_encoder.buffers(), self.target_encoder.buffers()):
            t.copy_(o)

    def forward(self, views):
        losses = []
        with torch.no_grad():
            targets = [self.target_encoder(v) for v in views]
            for t in targets:
                t /= t.norm(dim=1, keepdim=True)
        for i, v in enumerate(views):
            p = F.normalize(self.predictor(self.online_encoder(v)), dim=1)
            losses += [(2 - 2 * (p * t).sum(1)).mean() for j, t in enumerate(targets) if j != i]
        loss = losses[0]
        for l in losses[1:]:
            loss = loss + l
        loss /= len(losses)
        return loss


class Augment:
    def __init__(self, d):
        self.buf = torch.empty(0)
        self.d = d

    def __call__(self, x):
        out = x + 0.1 * torch.randn_like(x)
        keep = torch.rand(x.size(0), self.d) > 0.15
        out *= keep
        return out


def cosine(step, total, base):
    import math
    return 1 - (1 - base) * (math.cos(math.pi * step / total) + 1) / 2


def linear_probe(z, y, k):
    w = torch.zeros(z.size(1), k, requires_grad=True)
    b = torch.zeros(k, requires_grad=True)
    for _ in range(5):
        loss = F.cross_entropy(z @ w + b, y)
        gw, gb = torch.autograd.grad(loss, (w, b))
        with torch.no_grad():
            w -= gw
            b -= gb
    return loss.item()


if __name__ == "__main__":
    torch.manual_seed(37)
    torch.set_num_threads(1)
    model, aug = BYOL(), Augment(8)
    opt = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.05, momentum=0.9)
    centers = torch.randn(3, 8) * 2
    for step in range(10):
        y = torch.randint(0, 3, (32,))
        x = centers[y] + torch.randn(32, 8)
        loss = model([aug(x), aug(x), aug(x)])
        opt.zero_grad()
        loss.backward()
        opt.step()
        model.tau = cosine(step, 10, 0.9)
        model.update_target()
        if step % 3 == 0:
            with torch.no_grad():
                z = model.online_encoder(x)
            print(step, round(loss.item(), 4), round(linear_probe(z, y, 3), 4))
