import torch
import torch.nn as nn
import torch.nn.functional as F

from architect import Architect


class MixedOp(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.ops = nn.ModuleList([
            nn.Sequential(nn.Linear(d, d), nn.Tanh()),
            nn.Sequential(nn.Linear(d, d), nn.ReLU(inplace=True)),
            nn.Identity(),
        ])

    def forward(self, x, w):
        out = torch.zeros_like(x)
        for wi, op in zip(w, self.ops):
            out += wi * op(x)
        return out


class Net(nn.Module):
    def __init__(self, d=6, layers=3, ncls=2):
        super().__init__()
        self.stem, self.head = nn.Linear(4, d), nn.Linear(d, ncls)
        self.cells = nn.ModuleList(MixedOp(d) for _ in range(layers))
        self.alphas = nn.Parameter(1e-3 * torch.randn(layers, 3))

    def arch_parameters(self):
        return [self.alphas]

    def weights(self):
        return [p for n, p in self.named_parameters() if n != "alphas"]

    def forward(self, x):
        h = self.stem(x)
        for cell, a in zip(self.cells, self.alphas.softmax(-1)):
            h = cell(h, a)
        return self.head(h)

    def loss(self, x, y):
        return F.cross_entropy(self(x), y)


if __name__ == "__main__":
    torch.manual_seed(57)
    torch.set_num_threads(1)
    net = Net()
    opt = torch.optim.SGD(net.weights(), 0.05, momentum=0.9, weight_decay=3e-4)
    arch = Architect(net)
    for it in range(6):
        x = torch.randn(64, 4)
        y = (x[:, 0] * x[:, 1] > 0).long()
        lv = arch.step(x[:32], y[:32], x[32:], y[32:], 0.05, opt)
        opt.zero_grad()
        loss = net.loss(x[:32], y[:32])
        loss.backward()
        nn.utils.clip_grad_norm_(net.weights(), 5)
        opt.step()
        print(it, round(lv, 4), round(loss.item(), 4), net.alphas.softmax(-1).argmax(1).tolist())
