"""Top-k routed mixture-of-experts feed-forward layers with load balancing."""
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class RouterStats:
    aux_loss: torch.Tensor
    load: torch.Tensor


class TopKRouter(nn.Module):
    def __init__(self, dim, n_experts, k, noise=0.1, bias_speed=1e-3):
        super().__init__()
        self.w = nn.Linear(dim, n_experts, bias=False)
        self.register_buffer("bias", torch.zeros(n_experts))
        self.k, self.n, self.noise, self.bias_speed = k, n_experts, noise, bias_speed

    def forward(self, x):
        logits = self.w(x)
        if self.training:
            logits += self.noise * torch.randn_like(logits)
        probs = logits.softmax(-1)
        idx = (probs.detach() + self.bias).topk(self.k, dim=-1).indices
        gate = probs.gather(-1, idx)
        gate = gate / gate.sum(-1, keepdim=True)
        load = torch.zeros(self.n).scatter_add_(0, idx.flatten(), torch.ones(idx.numel()))
        load /= load.sum()
        aux = self.n * (probs.mean(0) * load).sum()
        return idx, gate, RouterStats(aux, load)

    @torch.no_grad()
    def adjust(self, load):
        self.bias.add_((1.0 / self.n - load).sign(), alpha=self.bias_speed)


class Expert(nn.Sequential):
    def __init__(self, dim, hidden):
        super().__init__(nn.Linear(dim, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, dim))


class MoE(nn.Module):
    def __init__(self, dim, hidden, n_experts=4, k=2):
        super().__init__()
        self.router = TopKRouter(dim, n_experts, k)
        self.experts = nn.ModuleList(Expert(dim, hidden) for _ in range(n_experts))
        self.last = None

    def forward(self, x):
        flat = x.reshape(-1, x.size(-1))
        idx, gate, self.last = self.router(flat)
        out = torch.zeros_like(flat)
        for e, expert in enumerate(self.experts):
            tok, slot = (idx == e).nonzero(as_tuple=True)
            if tok.numel() == 0:
                continue
            y = expert(flat[tok])
            y *= gate[tok, slot].unsqueeze(-1)
            out.index_add_(0, tok, y)
        return out.view_as(x)


class Layer(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.moe = MoE(dim, dim * 2)

    def forward(self, x):
        h = self.n1(x)
        a, _ = self.attn(h, h, h, need_weights=False)
        x = x + a
        return x + self.moe(self.n2(x))


class MoEClassifier(nn.Module):
    def __init__(self, vocab=30, dim=16, depth=2, classes=3):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList(Layer(dim, 2) for _ in range(depth))
        self.head = nn.Linear(dim, classes)

    def forward(self, ids):
        x = self.emb(ids)
        for l in self.layers:
            x = l(x)
        return self.head(x.mean(1)), sum(l.moe.last.aux_loss for l in self.layers)


def train(model, batches, aux_coef=0.01):
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loads = [torch.zeros(4) for _ in model.layers]
    for ids, y in batches:
        logits, aux = model(ids)
        loss = F.cross_entropy(logits, y) + aux_coef * aux
        opt.zero_grad()
        loss.backward()
        opt.step()
        for acc, layer in zip(loads, model.layers):
            layer.moe.router.adjust(layer.moe.last.load)
            acc += layer.moe.last.load
    return loads


# --- driver ---
torch.manual_seed(0)
train(MoEClassifier(), [(torch.randint(0, 30, (3, 6)), torch.randint(0, 3, (3,))) for _ in range(2)])
