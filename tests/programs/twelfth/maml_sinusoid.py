"""Second order MAML on sinusoids, functional forward."""
import math
import torch
from torch import nn
from torch.func import functional_call


class Regressor(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, x):
        return self.net(x)


class FastWeights:
    """Adapted copy of the parameters of a module, still attached to the slow ones."""

    def __init__(self, module, lr):
        self.module = module
        self.lr = lr
        self.values = {k: p.clone() for k, p in module.named_parameters()}

    def __call__(self, x):
        return functional_call(self.module, self.values, (x,))

    def descend(self, loss):
        grads = torch.autograd.grad(loss, list(self.values.values()), create_graph=True)
        for (name, w), g in zip(self.values.items(), grads):
            w -= self.lr * g  # BUG


class SineTasks:
    def __init__(self, seed):
        self.gen = torch.Generator().manual_seed(seed)

    def sample(self):
        amp = 0.1 + 4.9 * torch.rand((), generator=self.gen)
        phase = math.pi * torch.rand((), generator=self.gen)

        def draw(k):
            x = torch.rand(k, 1, generator=self.gen)
            x.mul_(10).sub_(5)
            return x, amp * torch.sin(x + phase)

        return draw


def adapt(module, support, steps, lr):
    fast = FastWeights(module, lr)
    x, y = support
    for _ in range(steps):
        fast.descend((fast(x) - y).square().mean())
    return fast


def meta_train(module, tasks, meta_steps=3, shots=5, inner_steps=2, inner_lr=0.01, meta_batch=4):
    opt = torch.optim.Adam(module.parameters(), 1e-3)
    for step in range(meta_steps):
        opt.zero_grad()
        outer = 0.0
        for _ in range(meta_batch):
            draw = tasks.sample()
            fast = adapt(module, draw(shots), inner_steps, inner_lr)
            xq, yq = draw(2 * shots)
            loss = (fast(xq) - yq).square().mean() / meta_batch
            loss.backward()
            outer += loss.item()
        opt.step()
        print(step, f"{outer:.3f}")


# --- driver ---
torch.manual_seed(24)
meta_train(Regressor(), SineTasks(24))
