import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class EWC:
    def __init__(self, model: nn.Module, gamma: float = 0.9):
        self.model, self.gamma = model, gamma
        self.fisher, self.star = {}, {}

    def named(self):
        return [(n, p) for n, p in self.model.named_parameters() if p.requires_grad]

    def consolidate(self, loader):
        new = {n: torch.zeros_like(p) for n, p in self.named()}
        was = self.model.training
        self.model.eval()
        for x, _ in loader:
            self.model.zero_grad()
            logits = self.model(x)
            y = logits.argmax(1)
            F.cross_entropy(logits, y).backward()
            for n, p in self.named():
                new[n] += p.grad.detach().pow_(2) * len(x)
        total = len(loader.dataset)
        for n, p in self.named():
            new[n].div_(total)
            if n in self.fisher:
                self.fisher[n].mul_(self.gamma).add_(new[n])
            else:
                self.fisher[n] = new[n]
            self.star.setdefault(n, torch.empty_like(p)).data.copy_(p.data)
        self.model.zero_grad()
        self.model.train(was)

    def penalty(self):
        out = 0
        for n, p in self.named():
            if n in self.fisher:
                d = p - self.star[n].detach()
                out += (self.fisher[n] * d.pow(2)).sum()
        return out


class SI:
    """synaptic intelligence, path integral kept by hand"""

    def __init__(self, params):
        self.params = list(params)
        self.w = [torch.zeros_like(p) for p in self.params]
        self.prev = [p.detach().clone() for p in self.params]

    @torch.no_grad()
    def after_step(self):
        for p, w, q in zip(self.params, self.w, self.prev):
            if p.grad is not None:
                w.addcmul_(p.grad, p - q, value=-1)
            q.copy_(p)


def task(k, n=96):
    x = torch.randn(n, 8)
    rot = torch.eye(8).roll(k, 1)
    y = ((x @ rot)[:, 0] > 0).long()
    x[:, -1] = float(k)
    return DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)


def main():
    torch.manual_seed(56)
    torch.set_num_threads(1)
    net = nn.Sequential(nn.Linear(8, 24), nn.ReLU(True), nn.Linear(24, 24), nn.ReLU(True), nn.Linear(24, 2))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    ewc, si = EWC(net), SI(net.parameters())
    for k in range(3):
        loader = task(k)
        for _ in range(2):
            for x, y in loader:
                loss = F.cross_entropy(net(x), y)
                loss = loss + 5.0 * ewc.penalty()
                opt.zero_grad()
                loss.backward()
                opt.step()
                si.after_step()
        ewc.consolidate(loader)
        snap = copy.deepcopy(net.state_dict())
        net.load_state_dict({n: v + 0.0 for n, v in snap.items()})
        print(k, round(loss.item(), 4), round(sum(w.clamp(min=0).sum().item() for w in si.w), 4))


if __name__ == "__main__":
    main()
