import torch


class SumTree:
    def __init__(self, n):
        self.n, self.tree = n, torch.zeros(2 * n)

    def set(self, i, v):
        i += self.n
        self.tree[i] = v
        while i > 1:
            i //= 2
            self.tree[i] = self.tree[2 * i] + self.tree[2 * i + 1]

    def find(self, v):
        i = 1
        while i < self.n:
            l = self.tree[2 * i]
            if v <= l:
                i = 2 * i
            else:
                v = v - l
                i = 2 * i + 1
        return i - self.n


class PrioritizedReplay:
    def __init__(self, n, o, alpha=0.6):
        self.tree, self.alpha, self.n, self.i, self.full = SumTree(n), alpha, n, 0, 0
        self.s, self.s2 = torch.empty(n, o), torch.empty(n, o)
        self.a, self.r, self.d = torch.empty(n, dtype=torch.long), torch.empty(n), torch.empty(n)
        self.max_p = torch.ones(())

    def add(self, s, a, r, s2, d):
        i = self.i
        self.s[i], self.s2[i], self.a[i], self.r[i], self.d[i] = s, s2, a, r, d
        self.tree.set(i, self.max_p ** self.alpha)
        self.i = (i + 1) % self.n
        self.full = min(self.full + 1, self.n)

    def sample(self, k, beta=0.4):
        total = self.tree.tree[1]
        idx = torch.tensor([min(self.tree.find(total * u), self.full - 1) for u in torch.rand(k)])
        p = self.tree.tree[idx + self.n] / total
        w = (self.full * p).pow_(-beta)
        w /= w.max()
        return idx, w, (self.s[idx], self.a[idx], self.r[idx], self.s2[idx], self.d[idx])

    def update(self, idx, td):
        p = td.abs().add_(1e-6)
        self.max_p.copy_(torch.maximum(self.max_p, p.max()))
        for i, v in zip(idx.tolist(), p.pow(self.alpha)):
            self.tree.set(i, v)
