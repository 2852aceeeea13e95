"""Gradually prune attention heads of a text classifier through forward hooks."""
import functools

import torch
import torch.nn as nn


class Weights(nn.Module):
    """Scaled dot-product weights, kept as a module so that probes can attach to it."""

    def forward(self, q, k):
        return torch.softmax(q @ k.transpose(-1, -2) / q.size(-1) ** 0.5, dim=-1)


class SelfAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(dim, 3 * dim)
        self.weights = Weights()
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, d = x.shape
        qkv = self.to_qkv(x).view(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        a = self.weights(qkv[0], qkv[1])
        y = torch.einsum("bhij,bhjd->bihd", a, qkv[2])
        return self.out(y.reshape(b, n, d))


class Classifier(nn.Module):
    def __init__(self, vocab=40, dim=16, heads=4, depth=2, n_cls=3):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleDict(
            {f"l{i}": nn.ModuleDict({"attn": SelfAttention(dim, heads), "norm": nn.LayerNorm(dim)}) for i in range(depth)}
        )
        self.fc = nn.Linear(dim, n_cls)

    def forward(self, ids):
        x = self.emb(ids)
        for layer in self.layers.values():
            x = x + layer["attn"](layer["norm"](x))
        return self.fc(x.mean(1))


class HeadPruner:
    def __init__(self, model):
        self.pruned = {}
        self.usage = {}
        self.handles = []
        for name, mod in model.named_modules():
            if isinstance(mod, Weights):
                self.pruned[name] = set()
                self.handles.append(mod.register_forward_hook(functools.partial(self.on_forward, name)))

    def on_forward(self, name, module, args, output):
        entropy = -(output * (output + 1e-9).log()).sum(-1).mean((0, 2))
        self.usage[name] = entropy.detach()
        for head in self.pruned[name]:
            output[:, head] = 0.0  # BUG

    def prune_one(self):
        for name, ent in self.usage.items():
            ent = ent.clone()
            for head in self.pruned[name]:
                ent[head] = float("-inf")
            self.pruned[name].add(int(ent.argmax()))

    def remove(self):
        while self.handles:
            self.handles.pop().remove()


# --- driver ---
def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = Classifier()
    pruner = HeadPruner(model)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(4):
        ids, y = torch.randint(0, 40, (6, 8)), torch.randint(0, 3, (6,))
        loss = nn.functional.cross_entropy(model(ids), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 2 == 1:
            pruner.prune_one()
        print(step, loss.item(), {k: sorted(v) for k, v in pruner.pruned.items()})
    pruner.remove()


if __name__ == "__main__":
    main()
