import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttn(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.args = args
        self.nh = args["heads"]
        self.to_qkv = nn.Linear(args["dim"], 3 * args["dim"])
        self.to_out = nn.Linear(args["dim"], args["dim"])
        self.p = args.get("attn_dropout", 0.0)

    def forward(self, h, pad=None, causal=True):
        bs, sl, dim = h.shape
        d = dim // self.nh
        qkv = self.to_qkv(h).view(bs, sl, self.nh, 3 * d).transpose(1, 2)
        q, k, v = qkv.split(d, -1)
        sc = torch.matmul(q, k.transpose(-1, -2)).div_(math.sqrt(d))
        if causal:
            tri = h.new_ones(sl, sl).triu_(1).bool()
            sc.masked_fill_(tri, float("-inf"))
        if pad is not None:
            sc.masked_fill_(pad[:, None, None, :], float("-inf"))
        pr = F.dropout(F.softmax(sc, -1), p=self.p, training=self.training)  # ATTN
        o = torch.matmul(pr, v)
        o = o.permute(0, 2, 1, 3).contiguous().view(bs, sl, dim)
        return self.to_out(o)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        args = dict(heads=2, dim=20, attn_dropout=0.3)
        self.layers = nn.ModuleList([SelfAttn(args), SelfAttn(args)])

    def forward(self, h, pad):
        for i, layer in enumerate(self.layers):
            h = h + layer(h, pad, causal=(i == 0))
        return h


def make():
    torch.manual_seed(29)
    net = Net().train()
    pad = torch.zeros(2, 6, dtype=torch.bool)
    pad[1, 4:] = True
    return net, (torch.randn(2, 6, 20, requires_grad=True), pad)
