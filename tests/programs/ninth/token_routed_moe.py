from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class MoEConfig:
    d_model: int = 12
    d_ff: int = 24
    n_experts: int = 3
    top_k: int = 1
    aux_coef: float = 0.01
    n_layers: int = 2


class Expert(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.w1 = nn.Linear(cfg.d_model, cfg.d_ff, bias=False)
        self.w2 = nn.Linear(cfg.d_ff, cfg.d_model, bias=False)
        self.w3 = nn.Linear(cfg.d_model, cfg.d_ff, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Router(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.gate = nn.Linear(cfg.d_model, cfg.n_experts, bias=False)
        self.k = cfg.top_k

    def forward(self, tokens):
        probs = self.gate(tokens).softmax(-1)
        w, idx = probs.topk(self.k, -1)
        return w, idx, probs


class SparseMoE(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.norm = nn.LayerNorm(cfg.d_model)
        self.router = Router(cfg)
        self.experts = nn.ModuleList(Expert(cfg) for _ in range(cfg.n_experts))

    def balance(self, probs, idx):
        load = F.one_hot(idx, self.cfg.n_experts).sum((0, 1)).to(probs.dtype)
        load /= load.sum()
        return self.cfg.n_experts * (load * probs.mean(0)).sum()

    def forward(self, x):
        shape = x.shape
        tokens = self.norm(x).reshape(-1, shape[-1])
        w, idx, probs = self.router(tokens)
        for e, expert in enumerate(self.experts):
            rows, slot = (idx == e).nonzero(as_tuple=True)
            if rows.numel() == 0:
                continue
            tokens[rows] = expert(tokens[rows]) * w[rows, slot, None]  # BUG
        return x + tokens.view(shape), self.balance(probs, idx)


class MoELM(nn.Module):
    def __init__(self, vocab, cfg):
        super().__init__()
        self.cfg = cfg
        self.emb = nn.Embedding(vocab, cfg.d_model)
        self.blocks = nn.ModuleList(SparseMoE(cfg) for _ in range(cfg.n_layers))
        self.out = nn.Linear(cfg.d_model, vocab, bias=False)
        self.out.weight = self.emb.weight

    def forward(self, ids, targets):
        x, aux = self.emb(ids), 0.0
        for blk in self.blocks:
            x, a = blk(x)
            aux = aux + a
        ce = F.cross_entropy(self.out(x).flatten(0, 1), targets.flatten())
        return ce + self.cfg.aux_coef * aux, ce.detach()


# --- driver ---
torch.manual_seed(14)
lm = MoELM(11, MoEConfig())
opt = torch.optim.AdamW(lm.parameters(), lr=1e-3)
ids = torch.randint(0, 11, (2, 7))
loss, ce = lm(ids[:, :-1], ids[:, 1:])
loss.backward()
opt.step()
