import torch
import torch.nn as nn
import torch.nn.functional as F

from layers import GATConv, GCNConv


class Net(nn.Module):
    def __init__(self, d, c):
        super().__init__()
        self.c1, self.c2, self.c3 = GCNConv(d, 16), GATConv(16, 8), GCNConv(16, c)

    def forward(self, x, ei):
        x = F.dropout(x, 0.2, self.training)
        x = self.c1(x, ei).relu_()
        x = self.c2(x, ei)
        x = F.elu_(x)
        return self.c3(x, ei)


def sbm(n, k, p, q):
    block = torch.arange(n) % k
    prob = torch.full((n, n), q)
    prob[block[:, None] == block[None, :]] = p
    adj = torch.rand(n, n) < prob
    adj.triu_(1)
    adj |= adj.t().clone()
    adj.fill_diagonal_(True)
    return adj.nonzero().t(), block


torch.manual_seed(26)
torch.set_num_threads(1)
ei, y = sbm(60, 3, 0.35, 0.03)
x = F.one_hot(torch.arange(60) % 20, 20).float()
x += 0.3 * torch.randn_like(x)
train = torch.zeros(60, dtype=torch.bool)
train[torch.randperm(60)[:24]] = True
net = Net(20, 3)
opt = torch.optim.Adam(net.parameters(), 1e-2, weight_decay=5e-4)
for ep in range(10):
    net.train()
    out = net(x, ei)
    loss = F.cross_entropy(out[train], y[train])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if ep % 3 == 0:
        net.eval()
        with torch.no_grad():
            acc = (net(x, ei).argmax(1)[~train] == y[~train]).float().mean()
        print(ep, round(loss.item(), 4), round(acc.item(), 3))
