"""Trainer with activation-steering hooks configured from a dict."""
from dataclasses import dataclass, field
from typing import Dict, List
import torch
from torch import nn

HOOKS = {}


def register_hook(name):
    def deco(cls):
        HOOKS[name] = cls
        return cls
    return deco


class Hook:
    def __init__(self, **kw):
        self.__dict__.update(kw)
        self.handle = None

    def attach(self, module):
        self.handle = module.register_forward_hook(self)
        return self

    def remove(self):
        if self.handle is not None:
            self.handle.remove()


@register_hook('recorder')
class Recorder(Hook):
    def __call__(self, module, inputs, output):
        flat = output.detach().abs().mean(0)
        if not hasattr(self, 'avg'):
            self.avg = torch.zeros_like(flat)
        self.avg.mul_(0.9).add_(flat, alpha=0.1)


@register_hook('scale')
class Scale(Hook):
    factor: float = 1.0

    def __call__(self, module, inputs, output):
        output.mul_(self.factor)  # BUG


@register_hook('input_noise')
class InputNoise(Hook):
    std: float = 0.1

    def attach(self, module):
        self.handle = module.register_forward_pre_hook(lambda m, inp: (inp[0] + self.std * torch.randn_like(inp[0]),))
        return self


@dataclass
class Config:
    dims: List[int] = field(default_factory=lambda: [6, 12, 12, 2])
    lr: float = 1e-2
    hooks: Dict[str, dict] = field(default_factory=lambda: {
        'body.1': {'kind': 'scale', 'factor': 0.5},
        'body.3': {'kind': 'recorder'},
        'body.0': {'kind': 'input_noise', 'std': 0.05},
    })


class Net(nn.Module):
    def __init__(self, dims):
        super().__init__()
        layers = []
        for a, b in zip(dims[:-2], dims[1:-1]):
            layers += [nn.Linear(a, b), nn.Tanh()]
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(dims[-2], dims[-1])

    def forward(self, x):
        return self.head(self.body(x))


class Trainer:
    def __init__(self, cfg: Config):
        self.cfg = cfg
        self.model = Net(cfg.dims)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=cfg.lr)
        modules = dict(self.model.named_modules())
        self.hooks = []
        for path, spec in cfg.hooks.items():
            spec = dict(spec)
            self.hooks.append(HOOKS[spec.pop('kind')](**spec).attach(modules[path]))

    def step(self, x, y):
        self.opt.zero_grad()
        loss = nn.functional.mse_loss(self.model(x), y)
        loss.backward()
        self.opt.step()
        return loss.item()

    def close(self):
        for h in self.hooks:
            h.remove()


# --- driver ---
torch.manual_seed(0)
t = Trainer(Config())
t.step(torch.randn(4, 6), torch.randn(4, 2))
t.close()
