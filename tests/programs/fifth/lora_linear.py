"""LoRA linear layers with merge / unmerge and an adapter fine-tuning helper."""
import math
from contextlib import contextmanager
import torch
import torch.nn as nn
import torch.nn.functional as F


class LoRALinear(nn.Linear):
    def __init__(self, i, o, r=4, alpha=8, bias=True):
        super().__init__(i, o, bias=bias)
        self.r = r
        self.scaling = alpha / r
        self.A = nn.Parameter(torch.empty(r, i))
        self.B = nn.Parameter(torch.zeros(o, r))
        self.weight.requires_grad_(False)
        self.merged = False
        nn.init.kaiming_uniform_(self.A, a=math.sqrt(5))
        nn.init.normal_(self.B, std=0.2)

    def delta(self):
        return (self.B @ self.A) * self.scaling

    def merge(self):
        if not self.merged:
            self.weight.data += self.delta()  # BUG silent
            self.merged = True

    def unmerge(self):
        if self.merged:
            self.weight.data -= self.delta()
            self.merged = False

    def forward(self, x):
        y = F.linear(x, self.weight, self.bias)
        if not self.merged:
            y += self.scaling * ((x @ self.A.t()) @ self.B.t())
        return y


def lora_layers(model):
    return (m for m in model.modules() if isinstance(m, LoRALinear))


def export_state(model):
    """State dict with the adapters folded into the base weights."""
    for m in lora_layers(model):
        m.merge()
    return {k: v.detach().clone() for k, v in model.state_dict().items() if not k.endswith(('.A', '.B'))}


@contextmanager
def merged(model):
    layers = list(lora_layers(model))
    for m in layers:
        m.merge()
    yield model
    for m in layers:
        m.unmerge()


class Net(nn.Module):
    def __init__(self, d=8, classes=3):
        super().__init__()
        self.fc1 = LoRALinear(d, 16)
        self.fc2 = LoRALinear(16, 16)
        self.out = nn.Linear(16, classes)

    def forward(self, x):
        x = torch.tanh(self.fc1(x))
        x = torch.tanh(self.fc2(x))
        return self.out(x)


def finetune(model, batches, lr=1e-2, keep_best=True):
    opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=lr)
    best, best_state = float('inf'), None
    for x, y in batches:
        loss = F.cross_entropy(model(x), y)
        if keep_best and loss.item() < best:
            best, best_state = loss.item(), export_state(model)
        opt.zero_grad()
        loss.backward()
        opt.step()
        for m in lora_layers(model):
            m.unmerge()
    return best_state


# --- driver ---
torch.manual_seed(0)
finetune(Net(), [(torch.randn(6, 8), torch.randint(0, 3, (6,)))])
