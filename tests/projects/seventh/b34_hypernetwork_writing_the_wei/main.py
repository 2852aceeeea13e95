import torch
import torch.nn as nn


class MainNet(nn.Module):
    def __init__(self, d_in=1, h=16, d_out=1):
        super().__init__()
        self.fc1 = nn.Linear(d_in, h)
        self.fc2 = nn.Linear(h, d_out)

    def forward(self, x):
        return self.fc2(torch.tanh(self.fc1(x)))


class HyperNet(nn.Module):
    """z (task embedding) -> all the weights of `main`"""

    def __init__(self, main, z_dim=8, hidden=64):
        super().__init__()
        self.main = [main]  # hide from .parameters()
        self.sizes = [p.numel() for p in main.parameters()]
        self.body = nn.Sequential(nn.Linear(z_dim, hidden), nn.ReLU())
        self.out = nn.Linear(hidden, sum(self.sizes))
        nn.init.normal_(self.out.weight, std=0.02)

    def generate(self, z):
        return self.out(self.body(z)).split(self.sizes)

    def forward(self, z, x):
        main = self.main[0]
        chunks = self.generate(z)
        for p, w in zip(main.parameters(), chunks):
            flat = p.view(-1)
            flat[:] = w  # BUG
        return main(x)


class TaskBank(nn.Module):
    def __init__(self, n_tasks, z_dim=8):
        super().__init__()
        self.z = nn.Embedding(n_tasks, z_dim)
        self.amp = torch.linspace(0.5, 2.0, n_tasks)

    def batch(self, i, n=32):
        x = torch.rand(n, 1) * 6 - 3
        return self.z.weight[i], x, self.amp[i] * torch.sin(x)


if __name__ == "__main__":
    torch.manual_seed(0)
    bank = TaskBank(4)
    hyper = HyperNet(MainNet())
    opt = torch.optim.Adam(list(hyper.parameters()) + list(bank.parameters()), lr=1e-3)
    for step in range(12):
        z, x, y = bank.batch(step % 4)
        loss = nn.functional.mse_loss(hyper(z, x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 4 == 3:
            print(step, round(loss.item(), 4))
