import torch
import torch.nn as nn
import torch.nn.functional as F


@torch.no_grad()
def kmeans(x, k, iters=5, gen=None):
    centers = x[torch.randperm(len(x), generator=gen)[:k]].clone()
    for _ in range(iters):
        assign = torch.cdist(x, centers).argmin(1)
        sums = torch.zeros_like(centers).index_add_(0, assign, x)
        count = torch.bincount(assign, minlength=k).float()
        empty = count.eq(0)
        sums.div_(count.clamp_(min=1)[:, None])
        sums[empty] = x[torch.randint(len(x), (int(empty.sum()),), generator=gen)]
        centers.copy_(sums)
    return centers, assign


@torch.no_grad()
def sinkhorn(scores, eps=0.1, iters=3):
    q = (scores / eps).exp_().t()
    q /= q.sum()
    k, b = q.shape
    for _ in range(iters):
        q /= q.sum(1, keepdim=True)
        q /= k
        q /= q.sum(0, keepdim=True)
        q /= b
    q *= b
    return q.t()


class Prototypes(nn.Module):
    def __init__(self, dim, k):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(k, dim))
        self.normalize()

    @torch.no_grad()
    def normalize(self):
        self.weight.div_(self.weight.norm(dim=1, keepdim=True))

    @torch.no_grad()
    def seed_from(self, feats, gen):
        centers, assign = kmeans(feats, len(self.weight), gen=gen)
        self.weight.copy_(F.normalize(centers, dim=1))
        return assign

    def forward(self, z):
        return z @ self.weight.t()


class SwAV(nn.Module):
    def __init__(self, cin, dim, k, queue=8, temp=0.2):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(cin, 16), nn.ReLU(inplace=True), nn.Linear(16, dim))
        self.protos = Prototypes(dim, k)
        self.temp = temp
        self.register_buffer("queue", torch.zeros(queue, dim))
        self.register_buffer("filled", torch.tensor(0))

    def embed(self, x):
        return F.normalize(self.f(x), dim=1)

    @torch.no_grad()
    def codes(self, z, scores):
        full = torch.cat([scores, self.protos(self.queue[: int(self.filled)])])
        q = sinkhorn(full)[: len(z)]
        n = len(z)
        self.queue[n:] = self.queue[:-n].clone()
        self.queue[:n] = z
        self.filled.add_(n).clamp_(max=len(self.queue))
        return q

    def forward(self, a, b):
        za, zb = self.embed(a), self.embed(b)
        sa, sb = self.protos(za), self.protos(zb)
        qa, qb = self.codes(za.detach(), sa.detach()), self.codes(zb.detach(), sb.detach())
        sa /= self.temp
        sb /= self.temp
        return -0.5 * ((qa * sb.log_softmax(1)).sum(1) + (qb * sa.log_softmax(1)).sum(1)).mean()


def nmi(a, b, k):
    joint = torch.zeros(k, k).index_put_((a, b), torch.ones(len(a)), accumulate=True)
    joint /= joint.sum()
    pa, pb = joint.sum(1, keepdim=True), joint.sum(0, keepdim=True)
    mi = (joint * (joint / (pa * pb).clamp_(min=1e-9)).clamp_(min=1e-9).log_()).sum()
    ent = lambda p: -(p * p.clamp(min=1e-9).log_()).sum()
    return (mi / (ent(pa) * ent(pb)).sqrt_().clamp_(min=1e-9)).item()


def train(model, data, labels, steps, k):
    gen = torch.Generator().manual_seed(0)
    opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    with torch.no_grad():
        assign = model.protos.seed_from(model.embed(data), gen)
    for step in range(steps):
        noise = torch.randn(2, *data.shape, generator=gen).mul_(0.1)
        loss = model(data + noise[0], data + noise[1])
        opt.zero_grad()
        loss.backward()
        if step == 0:
            model.protos.weight.grad.zero_()
        opt.step()
        model.protos.normalize()
    return loss.item(), nmi(assign, labels, k)


# --- driver ---
torch.manual_seed(27)
y = torch.arange(3).repeat(4)
x = torch.randn(12, 5) + F.one_hot(y, 5).float().mul_(3)
print(train(SwAV(5, 4, 3, queue=24), x, y, 2, 3))
