"""Voice activity detection with a selective state space layer (diagonal A, input dependent step size)."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from dataclasses import dataclass


@dataclass
class VadConfig:
    n_mels: int = 10
    d_model: int = 12
    d_state: int = 4
    layers: int = 2
    lr: float = 2e-3


class ScanState:
    def __init__(self, batch, d, n):
        self.h = torch.zeros(batch, d, n)

    def push(self, decay, drive):
        self.h = self.h * decay
        self.h += drive
        return self

    def read(self, c):
        return (self.h * c.unsqueeze(1)).sum(-1)

    def gate(self, keep):
        self.h.mul_(keep.view(-1, 1, 1))  # BUG
        return self


class SelectiveSSM(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        d, n = cfg.d_model, cfg.d_state
        self.A_log = nn.Parameter(torch.arange(1, n + 1).float().log().repeat(d, 1))
        self.D = nn.Parameter(torch.ones(d))
        self.x_proj = nn.Linear(d, 2 * n + d)
        self.n = n
        self.out = nn.Linear(d, d)

    def forward(self, x, keep):
        B, T, d = x.shape
        dt, b, c = self.x_proj(x).split([d, self.n, self.n], -1)
        dt = F.softplus(dt)
        A = -self.A_log.exp()
        state = ScanState(B, d, self.n)
        ys = []
        for t in range(T):
            decay = torch.exp(dt[:, t].unsqueeze(-1) * A)
            drive = (dt[:, t] * x[:, t]).unsqueeze(-1) * b[:, t].unsqueeze(1)
            ys.append(state.push(decay, drive).read(c[:, t]))
            state.gate(keep[:, t])
        y = torch.stack(ys, 1)
        y += self.D * x
        return self.out(y)


class Vad(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.inp = nn.Linear(cfg.n_mels, cfg.d_model)
        self.blocks = nn.ModuleList([SelectiveSSM(cfg) for _ in range(cfg.layers)])
        self.norms = nn.ModuleList([nn.LayerNorm(cfg.d_model) for _ in range(cfg.layers)])
        self.cls = nn.Linear(cfg.d_model, 1)

    def forward(self, mel, keep):
        h = self.inp(mel)
        for norm, blk in zip(self.norms, self.blocks):
            h = h + blk(norm(h), keep)
        return self.cls(h).squeeze(-1)


def train_vad(cfg, stream):
    net = Vad(cfg)
    opt = torch.optim.AdamW(net.parameters(), cfg.lr)
    for mel, segment_end, speech in stream:
        loss = F.binary_cross_entropy_with_logits(net(mel, 1.0 - segment_end), speech)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(loss.item())


# --- driver ---
torch.manual_seed(26)
train_vad(VadConfig(), [(torch.randn(3, 9, 10), (torch.rand(3, 9) < 0.1).float(), (torch.rand(3, 9) < 0.5).float()) for _ in range(2)])
