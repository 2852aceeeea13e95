"""Return-conditioned policy over interleaved (return, state, action) tokens."""
import torch
import torch.nn as nn


class Conv1D(nn.Module):
    def __init__(self, nf, nx):
        super().__init__()
        self.nf = nf
        self.weight = nn.Parameter(torch.randn(nx, nf) * 0.1)
        self.bias = nn.Parameter(torch.zeros(nf))

    def forward(self, x):
        size_out = x.size()[:-1] + (self.nf,)
        return torch.addmm(self.bias, x.view(-1, x.size(-1)), self.weight).view(*size_out)


class Attention(nn.Module):
    def __init__(self, nx, n_ctx, n_head, scale=True):
        super().__init__()
        self.register_buffer("bias", torch.tril(torch.ones((n_ctx, n_ctx), dtype=torch.uint8)).view(1, 1, n_ctx, n_ctx))
        self.register_buffer("masked_bias", torch.tensor(-1e4))
        self.n_head = n_head
        self.split_size = nx
        self.scale = scale
        self.c_attn = Conv1D(3 * nx, nx)
        self.c_proj = Conv1D(nx, nx)
        self.attn_dropout = nn.Dropout(0.1)

    def _attn(self, q, k, v, attention_mask=None):
        w = torch.matmul(q, k)
        if self.scale:
            w = w / (float(v.size(-1)) ** 0.5)
        nd, ns = w.size(-2), w.size(-1)
        mask = self.bias[:, :, ns - nd: ns, :ns]
        w = torch.where(mask.bool(), w, self.masked_bias.to(w.dtype))
        if attention_mask is not None:
            w = w + attention_mask
        w = nn.Softmax(dim=-1)(w)  # ATTN
        w = self.attn_dropout(w)
        return torch.matmul(w, v)

    def split_heads(self, x, k=False):
        x = x.view(*x.size()[:-1], self.n_head, x.size(-1) // self.n_head)
        return x.permute(0, 2, 3, 1) if k else x.permute(0, 2, 1, 3)

    def merge_heads(self, x):
        x = x.permute(0, 2, 1, 3).contiguous()
        return x.view(*x.size()[:-2], x.size(-2) * x.size(-1))

    def forward(self, x, attention_mask=None):
        query, key, value = self.c_attn(x).split(self.split_size, dim=2)
        a = self._attn(self.split_heads(query), self.split_heads(key, k=True), self.split_heads(value), attention_mask)
        return self.c_proj(self.merge_heads(a))


class DecisionPolicy(nn.Module):
    def __init__(self, s_dim=5, a_dim=2, h=16, n_head=2, n_ctx=48):
        super().__init__()
        self.embed_return = nn.Linear(1, h)
        self.embed_state = nn.Linear(s_dim, h)
        self.embed_action = nn.Linear(a_dim, h)
        self.embed_ln = nn.LayerNorm(h)
        self.attn = Attention(h, n_ctx, n_head)
        self.predict_action = nn.Sequential(nn.Linear(h, a_dim), nn.Tanh())

    def forward(self, states, actions, rtg, attention_mask=None):
        b, t = states.shape[:2]
        toks = torch.stack((self.embed_return(rtg), self.embed_state(states), self.embed_action(actions)), dim=1)
        toks = self.embed_ln(toks.permute(0, 2, 1, 3).reshape(b, 3 * t, -1))
        ext = None
        if attention_mask is not None:
            m = torch.stack((attention_mask,) * 3, dim=1).permute(0, 2, 1).reshape(b, 3 * t)
            ext = (1.0 - m.to(toks.dtype))[:, None, None, :] * -10000.0
        x = toks + self.attn(toks, ext)
        x = x.reshape(b, t, 3, -1).permute(0, 2, 1, 3)
        return self.predict_action(x[:, 1])


# --- driver ---
torch.manual_seed(20)
pi = DecisionPolicy().double().eval()
RESULTS = []
for t, m in ((5, None), (7, torch.tensor([[0, 0, 1, 1, 1, 1, 1], [1] * 7]))):
    s = torch.randn(2, t, 5).double().requires_grad_()
    a = torch.randn(2, t, 2).double().requires_grad_()
    r = torch.rand(2, t, 1).double()
    pi.zero_grad()
    out = pi(s, a, r, m)
    ((out - 0.5) ** 2).sum().backward()
    RESULTS += [out.detach(), s.grad, a.grad] + [p.grad.clone() for p in pi.parameters()]
