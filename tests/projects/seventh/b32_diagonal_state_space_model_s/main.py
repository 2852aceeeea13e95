import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class DiagonalSSM(nn.Module):
    """S4D-real like layer. Input (B, L, H)"""

    def __init__(self, d_model, d_state=8, dt_min=1e-3, dt_max=1e-1):
        super().__init__()
        self.H, self.N = d_model, d_state
        log_dt = torch.rand(d_model) * (math.log(dt_max) - math.log(dt_min)) + math.log(dt_min)
        self.log_dt = nn.Parameter(log_dt)
        self.log_A = nn.Parameter(torch.log(0.5 + torch.arange(d_state).float()).repeat(d_model, 1))
        self.B = nn.Parameter(torch.ones(d_model, d_state))
        self.C = nn.Parameter(torch.randn(d_model, d_state) / math.sqrt(d_state))
        self.D = nn.Parameter(torch.ones(d_model))

    def discretize(self):
        dt = self.log_dt.exp().unsqueeze(-1)
        A = -self.log_A.exp()
        dA = torch.exp(dt * A)
        dB = (dA - 1) / A * self.B
        return dA, dB

    def forward(self, u):
        batch, L, H = u.shape
        dA, dB = self.discretize()
        h = u.new_zeros(batch, H, self.N)
        ys = []
        for k in range(L):
            inj = dB * u[:, k].unsqueeze(-1)
            h.mul_(dA).add_(inj)  # BUG
            ys.append((h * self.C).sum(-1))
        return torch.stack(ys, dim=1) + self.D * u


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.ssm = DiagonalSSM(d)
        self.glu = nn.Linear(d, 2 * d)

    def forward(self, x):
        z = F.gelu(self.ssm(self.norm(x)))
        return x + F.glu(self.glu(z), dim=-1)


class Model(nn.Module):
    def __init__(self, d_in, d, n_layers, n_out):
        super().__init__()
        self.enc = nn.Linear(d_in, d)
        self.layers = nn.ModuleList(Block(d) for _ in range(n_layers))
        self.dec = nn.Linear(d, n_out)

    def forward(self, x):
        x = self.enc(x)
        for l in self.layers:
            x = l(x)
        return self.dec(x.mean(1))


if __name__ == "__main__":
    torch.manual_seed(0)
    net = Model(1, 8, 2, 2)
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
    for i in range(5):
        x = torch.randn(16, 24, 1)
        y = (x.cumsum(1)[:, -1, 0] > 0).long()
        loss = F.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(i, loss.item())
