import torch
import torch.nn as nn
import torch.nn.functional as F

from bank import MemoryBank


class Encoder(nn.Module):
    def __init__(self, d, z):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d, 32), nn.ReLU(inplace=True), nn.Linear(32, z))

    def forward(self, x):
        z = self.body(x)
        n = z.norm(dim=1, keepdim=True).clamp(min=1e-6)
        return z / n


def epoch_full(net, bank, opt, x):
    total = 0.0
    for idx in torch.randperm(x.size(0)).split(16):
        q = net(x[idx])
        loss = F.cross_entropy(bank.logits_full(q), idx)
        opt.zero_grad()
        loss.backward()
        opt.step()
        bank.update(idx, q)
        total += loss.item() * len(idx)
    return total / x.size(0)


def epoch_sampled(net, bank, opt, x):
    total = 0.0
    for idx in torch.randperm(x.size(0)).split(16):
        q = net(x[idx])
        logits = bank.logits_sampled(q, idx, 8)
        pos = F.normalize(x[bank.neighbors[idx, 0]] @ torch.eye(x.size(1))[:, : q.size(1)])
        loss = F.cross_entropy(logits, torch.zeros(len(idx), dtype=torch.long))
        loss += 0.1 * (1 - (q * pos).sum(1)).mean()
        # the gathered rows are copies, so the bank can be rewritten already
        bank.update(idx, q)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(idx)
    return total / x.size(0)


if __name__ == "__main__":
    torch.manual_seed(35)
    torch.set_num_threads(1)
    x = torch.randn(64, 10)
    x[::2] += 2
    net, bank = Encoder(10, 6), MemoryBank(64, 6)
    opt = torch.optim.Adam(net.parameters(), lr=5e-3)
    for ep in range(4):
        f = epoch_full if ep % 2 == 0 else epoch_sampled
        if f is epoch_sampled:
            bank.mine()
        print(ep, f.__name__, round(f(net, bank, opt, x), 4))
