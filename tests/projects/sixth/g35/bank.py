import torch
import torch.nn.functional as F


class MemoryBank:
    def __init__(self, n, dim, momentum=0.5, tau=0.1):
        self.features = F.normalize(torch.randn(n, dim))
        self.momentum, self.tau = momentum, tau
        self.neighbors = torch.zeros(n, 2, dtype=torch.long)

    def logits_full(self, q):
        # matmul saves the bank itself: the caller must update after backward
        out = q @ self.features.t()
        return out.div_(self.tau)

    def logits_sampled(self, q, idx, k):
        neg = torch.randint(0, self.features.size(0), (q.size(0), k))
        cand = torch.cat([idx[:, None], neg], 1)
        out = torch.einsum("bd,bkd->bk", q, self.features[cand])
        out /= self.tau
        return out

    @torch.no_grad()
    def update(self, idx, q):
        old = self.features.index_select(0, idx)
        old.mul_(self.momentum).add_(q.detach(), alpha=1 - self.momentum)
        F.normalize(old, dim=1, out=old)
        self.features.index_copy_(0, idx, old)

    @torch.no_grad()
    def mine(self):
        sim = self.features @ self.features.t()
        sim.fill_diagonal_(-2)
        torch.topk(sim, 2, dim=1, out=(torch.empty(0), self.neighbors))
        return self.neighbors
