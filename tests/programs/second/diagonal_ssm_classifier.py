"""Selective diagonal state-space layer, sequential scan version."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelectiveSSM(nn.Module):
    def __init__(self, dim, state=8):
        super().__init__()
        self.dim, self.state = dim, state
        self.a_log = nn.Parameter(torch.log(torch.arange(1, state + 1).float()).repeat(dim, 1))
        self.d_skip = nn.Parameter(torch.ones(dim))
        self.to_bc = nn.Linear(dim, state * 2)
        self.to_dt = nn.Linear(dim, dim)

    def discretise(self, x):
        dt = F.softplus(self.to_dt(x))
        b, c = self.to_bc(x).chunk(2, dim=-1)
        a = -torch.exp(self.a_log)
        decay = torch.exp(dt.unsqueeze(-1) * a)
        drive = (dt * x).unsqueeze(-1) * b.unsqueeze(2)
        return decay, drive, c

    def forward(self, x):
        bsz, length, _ = x.shape
        decay, drive, c = self.discretise(x)
        states = x.new_zeros(bsz, length + 1, self.dim, self.state)
        for t in range(length):
            states[:, t + 1] = decay[:, t] * states[:, t] + drive[:, t]  # BUG
        y = (states[:, 1:] * c.unsqueeze(2)).sum(-1)
        return y + x * self.d_skip


class SSMBlock(nn.Module):
    def __init__(self, dim, expand=2):
        super().__init__()
        inner = dim * expand
        self.norm = nn.LayerNorm(dim)
        self.in_proj = nn.Linear(dim, inner * 2)
        self.conv = nn.Conv1d(inner, inner, 3, padding=2, groups=inner)
        self.ssm = SelectiveSSM(inner)
        self.out_proj = nn.Linear(inner, dim)

    def forward(self, x):
        length = x.size(1)
        u, z = self.in_proj(self.norm(x)).chunk(2, dim=-1)
        u = self.conv(u.transpose(1, 2))[..., :length].transpose(1, 2)
        y = self.ssm(F.silu(u)) * F.silu(z)
        return x + self.out_proj(y)


class SequenceClassifier(nn.Module):
    def __init__(self, n_in, dim=12, depth=2, classes=4):
        super().__init__()
        self.embed = nn.Linear(n_in, dim)
        self.blocks = nn.ModuleList([SSMBlock(dim) for _ in range(depth)])
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        h = self.embed(x)
        for blk in self.blocks:
            h = blk(h)
        return self.head(h.mean(1))


class Runner:
    def __init__(self, model, lr=1e-3):
        self.model = model
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.01)

    def train_step(self, x, y):
        self.model.train()
        self.opt.zero_grad(set_to_none=True)
        loss = F.cross_entropy(self.model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.opt.step()
        return {"loss": loss.item()}


# --- driver ---
torch.manual_seed(0)
Runner(SequenceClassifier(3)).train_step(torch.randn(2, 7, 3), torch.randint(0, 4, (2,)))
