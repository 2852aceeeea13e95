"""Token-level mixture of experts with a fixed capacity per expert."""
import math
from functools import partial

import torch
import torch.nn as nn


def expert_mlp(dim, mult=2):
    return nn.Sequential(nn.Linear(dim, mult * dim), nn.SiLU(), nn.Linear(mult * dim, dim))


class Router(nn.Module):
    def __init__(self, dim, n_experts, capacity_factor=1.0):
        super().__init__()
        self.proj = nn.Linear(dim, n_experts, bias=False)
        self.n_experts = n_experts
        self.capacity_factor = capacity_factor

    def capacity(self, n_tokens):
        return int(math.ceil(self.capacity_factor * n_tokens / self.n_experts))

    def overflow(self, choice):
        """Positions in the queue of each expert that exceed its capacity."""
        onehot = torch.nn.functional.one_hot(choice, self.n_experts)
        rank = (onehot.cumsum(0) - 1).gather(1, choice[:, None]).squeeze(1)
        return rank >= self.capacity(len(choice))

    def balance(self, probs, choice):
        frac = torch.bincount(choice, minlength=self.n_experts).float() / len(choice)
        return self.n_experts * (frac * probs.mean(0)).sum()

    def forward(self, tokens):
        probs = self.proj(tokens).softmax(-1)
        choice = probs.argmax(-1)
        aux = self.balance(probs, choice)
        late = self.overflow(choice)
        probs[late] = 0.0  # BUG
        weight = probs.gather(1, choice[:, None])
        return weight, choice, aux


class MoELayer(nn.Module):
    def __init__(self, dim, n_experts, make_expert=expert_mlp):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.router = Router(dim, n_experts)
        self.experts = nn.ModuleList(make_expert(dim) for _ in range(n_experts))

    def forward(self, x):
        flat = self.norm(x).flatten(0, -2)
        weight, choice, aux = self.router(flat)
        mixed = torch.zeros_like(flat)
        for e, expert in enumerate(self.experts):
            idx = (choice == e).nonzero(as_tuple=True)[0]
            if idx.numel():
                mixed.index_add_(0, idx, expert(flat[idx]) * weight[idx])
        return x + mixed.view_as(x), aux


class Model(nn.Module):
    def __init__(self, vocab=30, dim=16, depth=2, n_experts=4):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList(
            MoELayer(dim, n_experts, partial(expert_mlp, mult=3)) for _ in range(depth)
        )
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids):
        x, aux_total = self.emb(ids), 0.0
        for layer in self.layers:
            x, aux = layer(x)
            aux_total = aux_total + aux
        return self.head(x), aux_total


# --- driver ---
def main():
    torch.manual_seed(0)
    model = Model()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
    for step in range(3):
        ids = torch.randint(0, 30, (4, 9))
        logits, aux = model(ids[:, :-1])
        ce = nn.functional.cross_entropy(logits.reshape(-1, 30), ids[:, 1:].reshape(-1))
        loss = ce + 0.01 * aux
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, ce.item(), float(aux))


if __name__ == "__main__":
    main()
