from types import SimpleNamespace
import torch
import torch.nn.functional as F
from torch import nn


class GemmaAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.scaling = cfg.query_pre_attn_scalar ** -0.5
        self.q_size = cfg.n_heads * cfg.head_dim
        self.kv_size = cfg.n_kv * cfg.head_dim
        self.qkv_proj = nn.Linear(cfg.hidden, self.q_size + 2 * self.kv_size, bias=False)
        self.o_proj = nn.Linear(self.q_size, cfg.hidden, bias=False)

    def forward(self, hidden_states, mask):
        b, n, _ = hidden_states.shape
        cfg = self.cfg
        xq, xk, xv = self.qkv_proj(hidden_states).split([self.q_size, self.kv_size, self.kv_size], dim=-1)
        xq = xq.view(b, n, cfg.n_heads, cfg.head_dim)
        xk = xk.view(b, n, cfg.n_kv, cfg.head_dim)
        xv = xv.view(b, n, cfg.n_kv, cfg.head_dim)
        if cfg.n_kv != cfg.n_heads:
            xk = torch.repeat_interleave(xk, cfg.n_heads // cfg.n_kv, dim=2)
            xv = torch.repeat_interleave(xv, cfg.n_heads // cfg.n_kv, dim=2)

        q = xq.transpose(1, 2) * self.scaling
        k = xk.transpose(1, 2)
        v = xv.transpose(1, 2)
        scores = torch.matmul(q, k.transpose(2, 3))
        if cfg.attn_logit_softcapping is not None:
            scores = scores / cfg.attn_logit_softcapping
            scores = torch.tanh(scores)
            scores = scores * cfg.attn_logit_softcapping
        scores = scores + mask
        scores = F.softmax(scores.float(), dim=-1).type_as(q)  # NOT
        output = torch.matmul(scores, v)
        return self.o_proj(output.transpose(1, 2).contiguous().view(b, n, -1))


def make():
    torch.manual_seed(4)
    cfg = SimpleNamespace(hidden=32, n_heads=4, n_kv=2, head_dim=8, query_pre_attn_scalar=8,
                          attn_logit_softcapping=2.0)
    m = GemmaAttention(cfg).eval()
    mask = torch.triu(torch.full((1, 1, 7, 7), -2.3819763e38), diagonal=1)
    return m, (3 * torch.randn(2, 7, 32), mask)
