import copy

import torch
import torch.nn as nn


class MaskedLayers:
    """Masks for every prunable weight, with gradient hooks that keep pruned entries at rest."""

    def __init__(self, model):
        self.params = {n: p for n, p in model.named_parameters() if p.ndim > 1}
        self.masks = {n: torch.ones_like(p) for n, p in self.params.items()}
        self.handles = [p.register_post_accumulate_grad_hook(self._hook(n)) for n, p in self.params.items()]

    def _hook(self, name):
        def fn(p):
            p.grad.mul_(self.masks[name])
        return fn

    def sparsity(self):
        kept = sum(m.sum().item() for m in self.masks.values())
        return 1 - kept / sum(m.numel() for m in self.masks.values())

    @torch.no_grad()
    def prune(self, fraction):
        scores = torch.cat([p.abs().mul_(self.masks[n]).flatten() for n, p in self.params.items()])
        alive = scores[scores > 0]
        cut = alive.kthvalue(max(1, int(fraction * alive.numel()))).values
        for n, p in self.params.items():
            self.masks[n][p.abs() <= cut] = 0
            p.mul_(self.masks[n])

    @torch.no_grad()
    def rewind(self, state):
        for n, p in self.params.items():
            p.copy_(state[n]).mul_(self.masks[n])

    @torch.no_grad()
    def regrow(self, grads, k):
        for n, p in self.params.items():
            dead = self.masks[n].eq(0)
            g = grads[n].abs().masked_fill_(~dead, -1)
            idx = g.flatten().topk(min(k, int(dead.sum()))).indices
            self.masks[n].view(-1)[idx] = 1
            p.view(-1)[idx] = 0

    def close(self):
        for h in self.handles:
            h.remove()


class LeNetish(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.c1 = nn.Conv2d(1, 4, 3, padding=1)
        self.c2 = nn.Conv2d(4, 8, 3, padding=1)
        self.fc = nn.Linear(8 * 4, classes)

    def forward(self, x):
        x = nn.functional.max_pool2d(self.c1(x).relu_(), 2)
        x = nn.functional.max_pool2d(self.c2(x).relu_(), 2)
        return self.fc(x.flatten(1))


class LotteryTicket:
    def __init__(self, model, rounds, frac, lr=0.1):
        self.model, self.rounds, self.frac, self.lr = model, rounds, frac, lr
        self.start = copy.deepcopy(model.state_dict())
        self.masks = MaskedLayers(model)

    def train(self, batches):
        opt = torch.optim.SGD(self.model.parameters(), lr=self.lr, momentum=0.9)
        last = None
        for x, y in batches:
            opt.zero_grad()
            last = nn.functional.cross_entropy(self.model(x), y)
            last.backward()
            opt.step()
        return last.item()

    def search(self, batches):
        for r in range(self.rounds):
            loss = self.train(batches)
            self.masks.prune(self.frac)
            self.masks.regrow({n: p.grad for n, p in self.masks.params.items()}, 2)
            if r < self.rounds - 1:
                self.masks.rewind(self.start)
            yield loss, self.masks.sparsity()


# --- driver ---
torch.manual_seed(12)
data = [(torch.randn(4, 1, 8, 8), torch.randint(0, 3, (4,)))]
print(list(LotteryTicket(LeNetish(), 2, 0.3).search(data)))
