import torch
from torch import nn


class ChildSumCell(nn.Module):
    def __init__(self, in_dim, dim):
        super().__init__()
        self.W_iou = nn.Linear(in_dim, 3 * dim)
        self.U_iou = nn.Linear(dim, 3 * dim, bias=False)
        self.W_f = nn.Linear(in_dim, dim)
        self.U_f = nn.Linear(dim, dim, bias=False)

    def forward(self, x, child_h, child_c, mask):
        m = mask.unsqueeze(-1)
        iou = self.W_iou(x)
        iou += self.U_iou((child_h * m).sum(1))
        i, o, u = torch.chunk(iou, 3, 1)
        f = torch.sigmoid(self.W_f(x).unsqueeze(1) + self.U_f(child_h))
        c = torch.sigmoid(i) * torch.tanh(u)
        c += (f * child_c * m).sum(1)
        return torch.sigmoid(o) * torch.tanh(c), c


class LevelAttention(nn.Module):
    """Scores nodes of one level against the level's mean."""

    def __init__(self, dim):
        super().__init__()
        self.q = nn.Linear(dim, dim, bias=False)

    def forward(self, h):
        ctx = self.q(h.mean(0, keepdim=True))
        return torch.softmax(h.matmul(ctx.t()), dim=0).t().matmul(h)
