import torch
import torch.nn as nn
import torch.nn.functional as F


class Expert(nn.Module):
    def __init__(self, dim, mult=2):
        super().__init__()
        self.up, self.gate = nn.Linear(dim, mult * dim, bias=False), nn.Linear(dim, mult * dim, bias=False)
        self.down = nn.Linear(mult * dim, dim, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class CapacityRouter(nn.Module):
    def __init__(self, dim, n_experts, capacity):
        super().__init__()
        self.proj = nn.Linear(dim, n_experts, bias=False)
        self.capacity = capacity
        self.register_buffer("load", torch.zeros(n_experts))

    def forward(self, x):
        probs = F.softmax(self.proj(x), dim=-1)
        choice = probs.argmax(-1)
        onehot = F.one_hot(choice, probs.shape[-1])
        rank = (onehot.cumsum(0) * onehot).sum(-1) - 1
        overflow = rank >= self.capacity
        aux = (onehot.float().mean(0) * probs.mean(0)).sum() * probs.shape[-1]
        with torch.no_grad():
            self.load.mul_(0.9).add_(onehot.sum(0).float(), alpha=0.1)
        rows = overflow.nonzero().squeeze(-1)
        probs.index_put_((rows, choice[rows]), torch.zeros(len(rows)))  # BUG
        gate = probs.gather(1, choice.unsqueeze(1))
        return gate, choice, overflow, aux


class MoELayer(nn.Module):
    def __init__(self, dim, n_experts=3, capacity=3):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.router = CapacityRouter(dim, n_experts, capacity)
        self.experts = nn.ModuleList(Expert(dim) for _ in range(n_experts))

    def forward(self, x):
        flat = self.norm(x).reshape(-1, x.shape[-1])
        gate, choice, overflow, aux = self.router(flat)
        out = torch.zeros_like(flat)
        for k, expert in enumerate(self.experts):
            rows = ((choice == k) & ~overflow).nonzero().squeeze(-1)
            if rows.numel():
                out.index_add_(0, rows, expert(flat[rows]) * gate[rows])
        return x + out.view_as(x), aux


class TinyLM(nn.Module):
    def __init__(self, vocab=20, dim=8, depth=2):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.mix = nn.ModuleList(nn.GRU(dim, dim, batch_first=True) for _ in range(depth))
        self.moe = nn.ModuleList(MoELayer(dim) for _ in range(depth))

    def forward(self, ids):
        h, aux = self.tok(ids), 0.0
        for rnn, moe in zip(self.mix, self.moe):
            h = h + rnn(h)[0]
            h, a = moe(h)
            aux = aux + a
        return h @ self.tok.weight.t(), aux


def lm_loss(model, ids, aux_weight=0.01):
    logits, aux = model(ids[:, :-1])
    target = ids[:, 1:].clone()
    target[target == 0] = -100
    ce = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=-100)
    return ce + aux_weight * aux


def train(model, batches):
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4)
    for ids in batches:
        opt.zero_grad(set_to_none=True)
        loss = lm_loss(model, ids)
        loss.backward()
        opt.step()
    return [layer.router.load.tolist() for layer in model.moe]


# --- driver ---
torch.manual_seed(0)
train(TinyLM(), [torch.randint(0, 20, (2, 7)) for _ in range(2)])
