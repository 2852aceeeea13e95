'''
simple message passing net on random graphs, node classification
'''
import torch
import torch.nn as nn
import torch.nn.functional as F


def scatter_add(src, index, out):
    """out[index[i]] += src[i]   (rows)"""
    idx = index.unsqueeze(-1).expand_as(src)
    return out.scatter_add_(0, idx, src)  # BUG


def degree(index, n):
    return torch.zeros(n).scatter_add_(0, index, torch.ones(index.numel()))


class MPLayer(nn.Module):
    def __init__(self, in_dim, out_dim, residual=True):
        super().__init__()
        self.residual = residual
        self.lin = nn.Linear(in_dim, out_dim)
        self.msg = nn.Sequential(nn.Linear(2 * out_dim, out_dim), nn.ReLU(inplace=True), nn.Linear(out_dim, out_dim))

    def forward(self, x, edge_index, norm):
        src, dst = edge_index
        h = F.relu(self.lin(x))
        m = self.msg(torch.cat([h[src], h[dst]], -1))
        m = m * norm[dst].unsqueeze(-1)
        # self loop + neighbours
        if self.residual:
            out = h
        else:
            out = torch.zeros_like(h)
        return scatter_add(m, dst, out)


class GNN(nn.Module):
    def __init__(self, in_dim, hid, n_cls, n_layers=2):
        super().__init__()
        dims = [in_dim] + [hid] * n_layers
        self.layers = nn.ModuleList([MPLayer(a, b) for a, b in zip(dims[:-1], dims[1:])])
        self.head = nn.Linear(hid, n_cls)
        self.drop = nn.Dropout(0.1, inplace=True)

    def forward(self, x, edge_index):
        norm = degree(edge_index[1], x.size(0)).clamp_(min=1).reciprocal_()
        for layer in self.layers:
            x = layer(x, edge_index, norm)
        x = self.drop(x.clone())
        return self.head(x)


def random_graph(n=20, e=60, d=5):
    x = torch.randn(n, d)
    y = (x[:, 0] > 0).long()
    ei = torch.randint(0, n, (2, e))
    x[:, 0] += 0.1 * torch.randn(n)
    return x, ei, y


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net = GNN(5, 16, 2)
    opt = torch.optim.Adam(net.parameters(), lr=0.01, weight_decay=5e-4)
    correct = torch.zeros(1)
    for epoch in range(4):
        correct.zero_()
        for _ in range(3):
            x, ei, y = random_graph()
            logits = net(x, ei)
            loss = F.cross_entropy(logits, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            correct += (logits.argmax(1) == y).float().sum()
        print(epoch, loss.item(), (correct / 60).item())


if __name__ == '__main__':
    main()
