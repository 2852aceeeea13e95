import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential


class Bottleneck(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.reduce = nn.Conv1d(c, c // 2, 1)
        self.conv = nn.Conv1d(c // 2, c // 2, 3, padding=1)
        self.expand = nn.Conv1d(c // 2, c, 1)
        self.drop = nn.Dropout(0.1, inplace=True)

    def _inner(self, x):
        y = self.reduce(x).relu_()
        y = self.conv(y).relu_()
        y = self.drop(self.expand(y))
        y += x
        return y

    def forward(self, x):
        if self.training and torch.is_grad_enabled():
            return checkpoint(self._inner, x, use_reentrant=False)
        return self._inner(x)


class Net(nn.Module):
    def __init__(self, c=8, use_old=False):
        super().__init__()
        self.stem = nn.Conv1d(2, c, 3, padding=1)
        self.body = nn.Sequential(*[Bottleneck(c) for _ in range(3)])
        self.tail = nn.Sequential(
            nn.Conv1d(c, c, 1), nn.ReLU(inplace=True), nn.Conv1d(c, c, 1), nn.ReLU(inplace=True),
        )
        self.pos = nn.Parameter(torch.zeros(1, c, 10))
        self.head = nn.Linear(c, 1)
        self.use_old = use_old

    def forward(self, x):
        h = self.stem(x)
        h += self.pos
        h.relu_()
        h = self.body(h)
        if self.use_old:
            h = checkpoint_sequential(self.tail, 2, h, use_reentrant=True)
        else:
            h = self.tail(h)
        return self.head(h.mean(-1))


def batch(n):
    x = torch.randn(n, 2, 10)
    x[:, 1] = x[:, 0].cumsum(-1)
    return x, x[:, 1, -1:].clone()


def grads(net, x, y):
    net.zero_grad()
    (net(x) - y).pow(2).mean().backward()
    return [p.grad.clone() for p in net.parameters()]


def main():
    torch.manual_seed(22)
    torch.set_num_threads(1)
    net = Net(use_old=True)
    x, y = batch(6)
    for m in net.modules():
        if isinstance(m, nn.Dropout):
            m.p = 0.0
    a = grads(net, x, y)
    b = grads(net.eval(), x, y)
    print("checkpoint == plain", all(torch.allclose(i, j, atol=1e-6) for i, j in zip(a, b)))
    net.train()
    for m in net.modules():
        if isinstance(m, nn.Dropout):
            m.p = 0.1
    opt = torch.optim.Adam(net.parameters(), 1e-2)
    for step in range(6):
        net.use_old = step % 2 == 0
        x, y = batch(16)
        loss = (net(x) - y).pow_(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, round(loss.item(), 4))


if __name__ == "__main__":
    main()
