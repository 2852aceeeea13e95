import contextlib
from typing import Dict, Iterable

import torch
import torch.nn as nn


class TinyPolicyLM(nn.Module):
    def __init__(self, vocab=16, dim=12, n_layers=3):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleDict()
        for i in range(n_layers):
            self.layers[f"h{i}"] = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim), nn.Tanh())
        self.lm_head = nn.Linear(dim, vocab, bias=False)

    def forward(self, ids):
        x = self.embed(ids)
        for layer in self.layers.values():
            x = x + layer(x)
        return self.lm_head(x)


class SteeringVector(nn.Module):
    def __init__(self, names: Iterable[str], dim: int, strength: float = 0.5):
        super().__init__()
        self.vectors = nn.ParameterDict({n: nn.Parameter(torch.zeros(dim)) for n in names})
        self.strength = strength
        for v in self.vectors.values():
            nn.init.normal_(v, std=0.02)

    def make_hook(self, name):
        def hook(module, args, output):
            vec = self.vectors[name] * self.strength
            output[:, -1] += vec  # BUG
            return output

        return hook

    @contextlib.contextmanager
    def attached(self, model: TinyPolicyLM):
        handles = [model.layers[n].register_forward_hook(self.make_hook(n)) for n in self.vectors]
        try:
            yield model
        finally:
            for h in handles:
                h.remove()


class ActivationStats:
    def __init__(self):
        self.sums: Dict[str, torch.Tensor] = {}
        self.count = 0

    @torch.no_grad()
    def collect(self, model, ids):
        x = model.embed(ids)
        for name, layer in model.layers.items():
            x = x + layer(x)
            flat = x.flatten(0, 1).sum(0)
            if name in self.sums:
                self.sums[name] += flat
            else:
                self.sums[name] = flat.clone()
        self.count += ids.numel()

    def mean(self, name):
        return self.sums[name] / self.count


def preference_loss(logits, chosen, rejected):
    logp = logits[:, -1].log_softmax(-1)
    margin = logp.gather(1, chosen[:, None]) - logp.gather(1, rejected[:, None])
    return nn.functional.softplus(-margin).mean()


def train_steering(model, steer, batches, lr=1e-2):
    for p in model.parameters():
        p.requires_grad_(False)
    opt = torch.optim.Adam(steer.parameters(), lr=lr)
    for ids, good, bad in batches:
        with steer.attached(model):
            loss = preference_loss(model(ids), good, bad)
        opt.zero_grad()
        loss.backward()
        opt.step()


# --- driver ---
torch.manual_seed(0)
model = TinyPolicyLM()
stats = ActivationStats()
ids = torch.randint(0, 16, (4, 5))
stats.collect(model, ids)
for blk in model.layers.values():
    blk[1].bias.data.copy_(0.1 * stats.mean("h0"))
train_steering(TinyPolicyLM().requires_grad_(True), SteeringVector(["h0", "h1"], 12), [(ids, ids[:, 0], ids[:, 1])])
