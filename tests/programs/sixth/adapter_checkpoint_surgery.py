from collections import OrderedDict
from typing import Callable, Dict, Optional

import torch
import torch.nn as nn
import torch.nn.functional as F


class Bottleneck(nn.Module):
    def __init__(self, dim, r):
        super().__init__()
        self.down, self.up = nn.Linear(dim, r), nn.Linear(r, dim)
        nn.init.normal_(self.up.weight, std=1e-2)
        nn.init.zeros_(self.up.bias)

    def forward(self, x):
        return self.up(F.relu(self.down(x), inplace=True))


class HookManager:
    def __init__(self):
        self.handles = []

    def add(self, module: nn.Module, fn: Callable):
        self.handles.append(module.register_forward_hook(fn))
        return self

    def clear(self):
        while self.handles:
            self.handles.pop().remove()


class AdapterBank(nn.Module):
    def __init__(self, dim, layers, r=2):
        super().__init__()
        self.adapters = nn.ModuleList(Bottleneck(dim, r) for _ in range(layers))
        self.hooks = HookManager()
        self.energy = torch.zeros(layers)

    def attach(self, layers):
        for i, (layer, adapter) in enumerate(zip(layers, self.adapters)):
            self.hooks.add(layer.fc2, self._hook(i, adapter))

    def _hook(self, i, adapter):
        def fn(module, inp, out):
            extra = adapter(inp[0])
            self.energy[i] = extra.detach().norm()
            out += extra
            return out

        return fn


class Layer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fc1, self.fc2 = nn.Linear(dim, dim), nn.Linear(dim, dim)

    def forward(self, x):
        return x + self.fc2(F.gelu(self.fc1(self.norm(x))))


class Encoder(nn.Module):
    def __init__(self, vocab, dim, depth, max_len):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, dim), nn.Parameter(torch.zeros(1, max_len, dim))
        self.layers = nn.ModuleList(Layer(dim) for _ in range(depth))
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids):
        x = self.tok(ids)
        x += self.pos[:, : ids.shape[1]]
        for l in self.layers:
            x = l(x)
        return self.head(x)


def load_resized(model: nn.Module, state: Dict[str, torch.Tensor], rename: Optional[Dict[str, str]] = None):
    own = model.state_dict()
    fixed = OrderedDict()
    for k, v in state.items():
        for a, b in (rename or {}).items():
            k = k.replace(a, b)
        if own[k].shape != v.shape:
            new = own[k].clone()
            region = tuple(slice(0, min(a, b)) for a, b in zip(new.shape, v.shape))
            new[region] = v[region]
            if new.dim() == 2 and new.shape[0] > v.shape[0]:
                new[v.shape[0] :] = v.mean(0)
            v = new
        fixed[k] = v
    model.load_state_dict(fixed)
    return model


@torch.no_grad()
def interpolate_into(dst: nn.Module, src: nn.Module, w: float):
    for a, b in zip(dst.parameters(), src.parameters()):
        a.lerp_(b, w)


def finetune(model, bank, ids, steps=1):
    model.requires_grad_(False)
    bank.attach(model.layers)
    opt = torch.optim.AdamW(bank.parameters(), lr=1e-2)
    mask = torch.rand(ids.shape) < 0.3
    mask[:, 0] = True
    for _ in range(steps):
        corrupted = ids.clone()
        corrupted[mask] = 0
        loss = F.cross_entropy(model(corrupted)[mask], ids[mask])
        opt.zero_grad()
        loss.backward()
        opt.step()
    bank.hooks.clear()


# --- driver ---
torch.manual_seed(0)
old, new = Encoder(10, 6, 2, 5), Encoder(12, 6, 2, 8)
state = {k.replace("layers", "blocks"): v for k, v in old.state_dict().items()}
load_resized(new, state, rename={"blocks": "layers"})
finetune(new, AdapterBank(6, 2), torch.randint(1, 12, (3, 7)), steps=2)
interpolate_into(Encoder(12, 6, 2, 8), new, 0.5)
