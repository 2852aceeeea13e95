# Activation steering for an MLP-mixer style net: hooks add a learned direction to chosen blocks.
import contextlib
import torch
from torch import nn


class TokenMix(nn.Module):
    def __init__(self, tokens, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.across = nn.Linear(tokens, tokens)

    def forward(self, x):
        return x + self.across(self.norm(x).transpose(1, 2)).transpose(1, 2)


class ChannelGate(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.squeeze = nn.Linear(dim, dim)
        self.act = nn.Sigmoid()

    def forward(self, x):
        return self.act(self.squeeze(x))


class MixerBlock(nn.Module):
    def __init__(self, tokens, dim):
        super().__init__()
        self.mix = TokenMix(tokens, dim)
        self.gate = ChannelGate(dim)

    def forward(self, x):
        x = self.mix(x)
        return x * self.gate(x)


class Mixer(nn.Module):
    def __init__(self, tokens=6, dim=12, depth=3, classes=4):
        super().__init__()
        self.blocks = nn.ModuleDict({f"b{i}": MixerBlock(tokens, dim) for i in range(depth)})
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        for block in self.blocks.values():
            x = block(x)
        return self.head(x.mean(1))


class Steering(nn.Module):
    """One direction per named module, each with its own strength."""

    def __init__(self, model, names, dim):
        super().__init__()
        self.directions = nn.ParameterDict({n.replace(".", "_"): nn.Parameter(0.1 * torch.randn(dim)) for n in names})
        self.targets = {n: dict(model.named_modules())[n] for n in names}
        self.strength = 1.0

    def _hook_for(self, name):
        direction = self.directions[name.replace(".", "_")]

        def hook(module, args, output):
            output.add_(self.strength * direction)  # BUG
            return output

        return hook

    @contextlib.contextmanager
    def attached(self):
        handles = [mod.register_forward_hook(self._hook_for(n)) for n, mod in self.targets.items()]
        try:
            yield self
        finally:
            for h in handles:
                h.remove()


def tune(model, steering, data, steps=3, lr=1e-2):
    x, y = data
    opt = torch.optim.Adam(steering.directions.parameters(), lr=lr)
    curve = []
    with steering.attached():
        for _ in range(steps):
            loss = nn.functional.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            curve.append(loss.item())
    return curve


# --- driver ---
torch.manual_seed(5)
net = Mixer()
steer = Steering(net, ["blocks.b0.gate", "blocks.b2.gate"], dim=12)
print(tune(net, steer, (torch.randn(10, 6, 12), torch.randint(0, 4, (10,)))))
