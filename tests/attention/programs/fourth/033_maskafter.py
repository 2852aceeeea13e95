import torch
import torch.nn as nn
import torch.nn.functional as F


class GraphAttention(nn.Module):
    def __init__(self, in_dim, out_dim, heads):
        super().__init__()
        self.heads = heads
        self.d = out_dim // heads
        self.Q = nn.Linear(in_dim, out_dim)
        self.K = nn.Linear(in_dim, out_dim)
        self.V = nn.Linear(in_dim, out_dim)

    def forward(self, h, adj):
        b, n, _ = h.shape
        q = self.Q(h).view(b, n, self.heads, self.d).permute(0, 2, 1, 3)
        k = self.K(h).view(b, n, self.heads, self.d).permute(0, 2, 1, 3)
        v = self.V(h).view(b, n, self.heads, self.d).permute(0, 2, 1, 3)
        e = torch.matmul(q, k.transpose(-1, -2)) / self.d ** 0.5
        alpha = F.softmax(e, dim=-1)  # NOT
        alpha = alpha * adj.unsqueeze(1)
        out = torch.matmul(alpha, v)
        return out.permute(0, 2, 1, 3).reshape(b, n, self.heads * self.d)


class GraphNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.g1 = GraphAttention(8, 16, 2)
        self.g2 = GraphAttention(16, 16, 4)
        self.out = nn.Linear(16, 3)

    def forward(self, h, adj):
        h = F.elu(self.g1(h, adj))
        h = F.elu(self.g2(h, adj))
        return self.out(h.mean(1))


def make():
    torch.manual_seed(10)
    net = GraphNet().train()
    adj = (torch.rand(2, 7, 7) < 0.4).float()
    adj = ((adj + adj.transpose(1, 2) + torch.eye(7)) > 0).float()
    return net, (torch.randn(2, 7, 8, requires_grad=True), adj)
