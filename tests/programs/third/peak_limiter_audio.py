"""Autoencoder for drum loops with a soft knee limiter before the bottleneck."""
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F


def limit_peaks(frames: np.ndarray, ceiling: float, report: dict) -> None:
    over = np.abs(frames) > ceiling
    report["over"] = int(over.sum())
    np.clip(frames, -ceiling, ceiling, out=frames)  # BUG silent


class FrameEncoder(nn.Module):
    def __init__(self, frame, latent, ceiling=0.4):
        super().__init__()
        self.analysis = nn.Linear(frame, latent, bias=False)
        self.mix = nn.Linear(latent, latent)
        self.ceiling = ceiling
        self.report = {}

    def forward(self, frames):
        h = torch.tanh(self.analysis(frames))
        limit_peaks(h.detach().numpy(), self.ceiling, self.report)
        return self.mix(h)


class FrameDecoder(nn.Module):
    def __init__(self, frame, latent):
        super().__init__()
        self.gru = nn.GRU(latent, latent, batch_first=True)
        self.synthesis = nn.Linear(latent, frame)

    def forward(self, z):
        y, _ = self.gru(z)
        return self.synthesis(y)


class LoopAutoencoder(nn.Module):
    def __init__(self, frame=16, latent=6):
        super().__init__()
        self.frame = frame
        self.enc = FrameEncoder(frame, latent)
        self.dec = FrameDecoder(frame, latent)

    def split(self, wav):
        return wav.unfold(-1, self.frame, self.frame)

    def forward(self, wav):
        frames = self.split(wav)
        return self.dec(self.enc(frames)).flatten(1), frames.flatten(1)


def synth_loops(n, length, rng):
    t = np.arange(length) / length
    out = np.empty((n, length), dtype=np.float32)
    for i in range(n):
        env = np.exp(-8 * (t * rng.integers(1, 4) % 1))
        out[i] = env * np.sin(2 * np.pi * rng.uniform(3, 12) * t)
    out /= np.abs(out).max(axis=1, keepdims=True)
    return torch.from_numpy(out)


def train(model, loops, lr=1e-3, epochs=1):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    reports = []
    for _ in range(epochs):
        out, ref = model(loops * 3)
        loss = F.mse_loss(out, ref) + 0.1 * F.l1_loss(out.diff(dim=-1), ref.diff(dim=-1))
        opt.zero_grad()
        loss.backward()
        opt.step()
        reports.append({**model.enc.report, "loss": loss.item()})
    return reports


# --- driver ---
torch.manual_seed(29)
loops = synth_loops(3, 64, np.random.default_rng(0))
train(LoopAutoencoder(), loops)
