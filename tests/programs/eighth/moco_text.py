import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class BagEncoder(nn.Module):
    def __init__(self, vocab, dim, out):
        super().__init__()
        self.emb = nn.EmbeddingBag(vocab, dim, mode="mean")
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(inplace=True), nn.Linear(dim, out))

    def forward(self, tokens):
        return F.normalize(self.mlp(self.emb(tokens)), dim=1)


class MomentumContrast(nn.Module):
    def __init__(self, encoder, dim, K=32, m=0.99, T=0.07):
        super().__init__()
        self.K, self.m, self.T = K, m, T
        self.encoder_q = encoder
        self.encoder_k = copy.deepcopy(encoder)
        for p in self.encoder_k.parameters():
            p.requires_grad = False
        self.register_buffer("queue", F.normalize(torch.randn(dim, K), dim=0))
        self.register_buffer("queue_ptr", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def _momentum_update(self):
        for q, k in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            k.mul_(self.m).add_(q, alpha=1 - self.m)

    @torch.no_grad()
    def _dequeue_and_enqueue(self, keys):
        n = keys.size(0)
        ptr = int(self.queue_ptr)
        assert self.K % n == 0
        self.queue[:, ptr:ptr + n] = keys.t()  # BUG
        self.queue_ptr[0] = (ptr + n) % self.K

    def forward(self, view_q, view_k):
        q = self.encoder_q(view_q)
        with torch.no_grad():
            self._momentum_update()
            k = self.encoder_k(view_k)
        l_pos = torch.einsum("nc,nc->n", q, k).unsqueeze(-1)
        l_neg = torch.einsum("nc,ck->nk", q, self.queue.detach())
        logits = torch.cat([l_pos, l_neg], dim=1)
        logits.div_(self.T)
        labels = torch.zeros(logits.size(0), dtype=torch.long)
        self._dequeue_and_enqueue(k)
        return logits, labels


def drop_words(tokens, p, pad):
    out = tokens.clone()
    out[torch.rand(tokens.shape) < p] = pad
    return out


class AverageMeter:
    def __init__(self, name):
        self.name = name
        self.reset()

    def reset(self):
        self.sum = self.count = 0

    def update(self, v, n=1):
        self.sum += v * n
        self.count += n

    @property
    def avg(self):
        return self.sum / max(self.count, 1)


def accuracy(logits, target, topk=(1,)):
    with torch.no_grad():
        pred = logits.topk(max(topk), 1).indices
        hit = pred.eq(target.unsqueeze(1))
        return [hit[:, :k].any(1).float().mean().item() * 100 for k in topk]


def train(model, docs, args):
    opt = torch.optim.SGD(model.encoder_q.parameters(), lr=args["lr"], momentum=0.9, weight_decay=1e-4)
    losses, top1 = AverageMeter("loss"), AverageMeter("acc@1")
    for batch in docs:
        logits, labels = model(drop_words(batch, args["p"], 0), drop_words(batch, args["p"], 0))
        loss = F.cross_entropy(logits, labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.update(loss.item(), batch.size(0))
        top1.update(accuracy(logits, labels)[0], batch.size(0))
    return losses.avg, top1.avg


# --- driver ---
torch.manual_seed(0)
moco = MomentumContrast(BagEncoder(30, 12, 8), 8)
train(moco, [torch.randint(1, 30, (4, 9)) for _ in range(2)], {"lr": 0.03, "p": 0.2})
