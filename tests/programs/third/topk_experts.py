import torch
import torch.nn as nn
import torch.nn.functional as F


class ExpertMLP(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.w1, self.w2, self.w3 = nn.Linear(d, h), nn.Linear(h, d), nn.Linear(d, h)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class BiasBalancedRouter(nn.Module):
    """Picks experts by score + bias; the bias is steered by load rather than by gradient."""

    def __init__(self, d, n, k, speed=0.01):
        super().__init__()
        self.k, self.speed = k, speed
        self.gate = nn.Linear(d, n, bias=False)
        self.register_buffer("bias", torch.zeros(n))
        self.register_buffer("load", torch.zeros(n))

    def forward(self, x):
        score = torch.sigmoid(self.gate(x))
        choice = score.detach().clone()
        choice += self.bias
        idx = choice.topk(self.k, -1).indices
        w = score.gather(-1, idx)
        w = w / (w.sum(-1, keepdim=True) + 1e-9)
        if self.training:
            self.load.index_add_(0, idx.flatten(), torch.ones(idx.numel()))
        return w, idx

    @torch.no_grad()
    def rebalance(self):
        err = self.load.mean() - self.load
        self.bias.add_(err.sign_(), alpha=self.speed)
        self.load.zero_()


class SparseMoE(nn.Module):
    def __init__(self, d=6, h=8, n=4, k=2):
        super().__init__()
        self.router = BiasBalancedRouter(d, n, k)
        self.experts = nn.ModuleList(ExpertMLP(d, h) for _ in range(n))
        self.shared = ExpertMLP(d, h)

    def forward(self, x):
        shape = x.shape
        x = x.flatten(0, -2)
        w, idx = self.router(x)
        out = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            token, slot = (idx == e).nonzero(as_tuple=True)
            if token.numel() == 0:
                continue
            y = expert(x[token])
            out.index_add_(0, token, y * w[token, slot, None])
        out += self.shared(x)
        return out.view(shape)


class TinyLM(nn.Module):
    def __init__(self, vocab, d=6):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.mix = nn.GRU(d, d, batch_first=True)
        self.moe = SparseMoE(d)
        self.norm = nn.LayerNorm(d)

    def forward(self, ids):
        h, _ = self.mix(self.emb(ids))
        h = h + self.moe(self.norm(h))
        logits = h @ self.emb.weight.t()
        logits.mul_(h.shape[-1] ** -0.5)
        return logits


def step(model, opt, ids):
    loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    for m in model.modules():
        if isinstance(m, BiasBalancedRouter):
            m.rebalance()
    return loss.item()


# --- driver ---
torch.manual_seed(51)
lm = TinyLM(15)
opt = torch.optim.AdamW(lm.parameters(), 1e-3)
for _ in range(2):
    step(lm, opt, torch.randint(0, 15, (3, 7)))
