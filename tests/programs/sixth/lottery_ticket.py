import copy
from typing import Dict, Iterator, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class MaskSet:
    def __init__(self, model: nn.Module, skip=("head",)):
        self.masks: Dict[str, torch.Tensor] = {}
        self.handles = []
        for n, p in model.named_parameters():
            if p.dim() > 1 and not n.startswith(skip):
                self.masks[n] = torch.ones_like(p, requires_grad=False)

    def items(self, model) -> Iterator[Tuple[torch.Tensor, nn.Parameter]]:
        params = dict(model.named_parameters())
        for n, m in self.masks.items():
            yield m, params[n]

    @torch.no_grad()
    def prune_global(self, model, fraction):
        alive = torch.cat([p[m.bool()].abs() for m, p in self.items(model)])
        k = max(1, int(fraction * alive.numel()))
        threshold = alive.kthvalue(k).values
        for m, p in self.items(model):
            m[p.abs() <= threshold] = 0

    @torch.no_grad()
    def apply(self, model):
        for m, p in self.items(model):
            p.mul_(m)

    def register_grad_masks(self, model):
        for h in self.handles:
            h.remove()

        def make(mask):
            def zero_dead(param):
                param.grad.mul_(mask)

            return zero_dead

        self.handles = [p.register_post_accumulate_grad_hook(make(m)) for m, p in self.items(model)]

    @property
    def density(self):
        on = sum(m.sum().item() for m in self.masks.values())
        return on / sum(m.numel() for m in self.masks.values())


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 3, padding=1)
        self.bn = nn.BatchNorm2d(6)
        self.fc = nn.Linear(6, 12)
        self.head = nn.Linear(12, 4)

    def forward(self, x):
        x = F.relu(self.bn(self.conv(x)), inplace=True)
        x = x.mean((2, 3))
        x = F.relu(self.fc(x), inplace=True)
        return self.head(x)


def rewind(model, snapshot):
    with torch.no_grad():
        for n, p in model.named_parameters():
            p.copy_(snapshot[n])
    for m in model.modules():
        if isinstance(m, nn.BatchNorm2d):
            m.running_mean.zero_()
            m.running_var.fill_(1)
            m.num_batches_tracked.zero_()


def train(model, masks, loader, lr=0.1):
    opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, weight_decay=5e-4)
    model.train()
    for x, y in loader:
        masks.apply(model)
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        masks.apply(model)
    return loss.item()


def imp(model, loader, rounds=2, fraction=0.3):
    snapshot = copy.deepcopy(dict(model.named_parameters()))
    masks = MaskSet(model)
    report = []
    for _ in range(rounds):
        masks.register_grad_masks(model)
        final = train(model, masks, loader)
        masks.prune_global(model, fraction)
        rewind(model, snapshot)
        masks.apply(model)
        report.append((masks.density, final))
    return report


# --- driver ---
torch.manual_seed(0)
imp(Net(), [(torch.randn(4, 3, 6, 6), torch.randint(0, 4, (4,)))])
