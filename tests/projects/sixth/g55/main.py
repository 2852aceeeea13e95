import random

import torch
import torch.nn as nn
import torch.nn.functional as F

from surgery import GradStore, agem, flat, pcgrad, write_back


class MTL(nn.Module):
    def __init__(self, d=5, h=24, tasks=3):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(d, h), nn.ReLU(inplace=True), nn.Linear(h, h), nn.ReLU(inplace=True))
        self.heads = nn.ModuleList(nn.Linear(h, 1) for _ in range(tasks))
        self.log_var = nn.Parameter(torch.zeros(tasks))

    def forward(self, x):
        z = self.trunk(x)
        return [h(z).squeeze(1) for h in self.heads]


def targets(x):
    y = torch.stack([x[:, 0] * x[:, 1], -x[:, 0] * x[:, 1] + 0.3 * x[:, 2], x[:, 3].abs()])
    y += 0.01 * torch.randn_like(y)
    return y


def main():
    random.seed(55)
    torch.manual_seed(55)
    torch.set_num_threads(1)
    net = MTL()
    params = list(net.parameters())
    opt = torch.optim.Adam(params, 5e-3)
    # simultaneous tasks
    for it in range(6):
        x = torch.randn(40, 5)
        losses = []
        for k, (o, y) in enumerate(zip(net(x), targets(x))):
            l = F.mse_loss(o, y) * torch.exp(-net.log_var[k])
            l += net.log_var[k]
            losses.append(l)
        gs = []
        for k, l in enumerate(losses):
            g = torch.autograd.grad(l, params, retain_graph=k < len(losses) - 1, allow_unused=True)
            gs.append(flat(g, params))
        write_back(pcgrad(gs), params)
        opt.step()
        print("pc", it, round(sum(l.item() for l in losses), 4))
    # sequential tasks, averaged GEM
    store = GradStore(sum(p.numel() for p in params), 3)
    memory = [torch.randn(16, 5) for _ in range(3)]
    for task in range(3):
        for it in range(3):
            for old in range(task):
                opt.zero_grad()
                F.mse_loss(net(memory[old])[old], targets(memory[old])[old]).backward()
                store.put(old, flat([p.grad for p in params], params))
            x = torch.randn(40, 5)
            loss = F.mse_loss(net(x)[task], targets(x)[task])
            opt.zero_grad()
            loss.backward()
            if task:
                g = flat([p.grad for p in params], params)
                write_back(agem(g, store.mean(task)), params)
            opt.step()
        print("gem", task, round(loss.item(), 4))


if __name__ == "__main__":
    main()
