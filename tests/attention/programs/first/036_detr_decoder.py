import torch
from torch import nn, Tensor
from typing import Optional


def with_pos_embed(tensor, pos: Optional[Tensor]):
    return tensor if pos is None else tensor + pos


class PosAttention(nn.Module):
    """Sequence-first; positional encodings enter q and k but not v."""

    def __init__(self, d_model, nhead):
        super().__init__()
        self.nhead = nhead
        self.weights = nn.ParameterDict({
            n: nn.Parameter(nn.init.xavier_uniform_(torch.empty(d_model, d_model))) for n in "qkvo"
        })
        self.bias_o = nn.Parameter(torch.zeros(d_model))

    def _split(self, t):
        L, B, C = t.shape
        return t.reshape(L, B, self.nhead, C // self.nhead)

    def forward(self, q, k, v, key_padding_mask: Optional[Tensor] = None):
        Q = self._split(q @ self.weights["q"].t())
        K = self._split(k @ self.weights["k"].t())
        V = self._split(v @ self.weights["v"].t())
        logits = torch.einsum("lbhd,sbhd->blsh", Q / Q.size(-1) ** 0.5, K)
        if key_padding_mask is not None:
            logits = logits.masked_fill(key_padding_mask[:, None, :, None], float("-inf"))
        attn = logits.softmax(dim=2)  # ATTN
        out = torch.einsum("blsh,sbhd->lbhd", attn, V).flatten(2)
        return out @ self.weights["o"].t() + self.bias_o


class DecoderLayer(nn.Module):
    def __init__(self, d_model, nhead, ff=32):
        super().__init__()
        self.self_attn = PosAttention(d_model, nhead)
        self.cross_attn = PosAttention(d_model, nhead)
        self.lin1, self.lin2 = nn.Linear(d_model, ff), nn.Linear(ff, d_model)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, tgt, memory, pad=None, pos=None, query_pos=None):
        q = k = with_pos_embed(tgt, query_pos)
        tgt = self.norm1(tgt + self.self_attn(q, k, tgt))
        t2 = self.cross_attn(with_pos_embed(tgt, query_pos), with_pos_embed(memory, pos), memory, pad)
        tgt = self.norm2(tgt + t2)
        return self.norm3(tgt + self.lin2(torch.relu(self.lin1(tgt))))


class Detector(nn.Module):
    def __init__(self, d=20, heads=4, queries=6, layers=2, classes=5):
        super().__init__()
        self.query_embed = nn.Embedding(queries, d)
        self.row, self.col = nn.Parameter(torch.rand(10, d // 2)), nn.Parameter(torch.rand(10, d // 2))
        self.layers = nn.ModuleList(DecoderLayer(d, heads) for _ in range(layers))
        self.cls, self.box = nn.Linear(d, classes + 1), nn.Linear(d, 4)

    def forward(self, feat, mask=None):
        B, C, H, W = feat.shape
        pos = torch.cat([
            self.col[:W].unsqueeze(0).expand(H, -1, -1), self.row[:H].unsqueeze(1).expand(-1, W, -1)
        ], dim=-1).flatten(0, 1).unsqueeze(1)
        memory = feat.flatten(2).permute(2, 0, 1)
        qpos = self.query_embed.weight.unsqueeze(1).repeat(1, B, 1)
        tgt = torch.zeros_like(qpos)
        pad = mask.flatten(1) if mask is not None else None
        for layer in self.layers:
            tgt = layer(tgt, memory, pad, pos, qpos)
        return self.cls(tgt).transpose(0, 1), self.box(tgt).sigmoid().transpose(0, 1)


# --- driver ---
torch.manual_seed(36)
det = Detector().double().eval()
RESULTS = []
for (h, w), masked in (((4, 5), False), ((6, 3), True)):
    det.zero_grad()
    feat = torch.randn(2, 20, h, w, dtype=torch.float64, requires_grad=True)
    mask = None
    if masked:
        mask = torch.zeros(2, h, w, dtype=torch.bool)
        mask[1, 4:] = True
    c, b = det(feat, mask)
    (c.logsumexp(-1).sum() + (b * b).sum()).backward()
    RESULTS += [c.detach(), b.detach(), feat.grad] + [p.grad.clone() for p in det.parameters()]
