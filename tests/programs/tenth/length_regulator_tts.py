"""FastSpeech-like acoustic model: duration predictor, length regulator, masked losses."""
from typing import Dict, Optional

import torch
from torch import nn, Tensor
from torch.nn import functional as F


def padding_mask(lengths: Tensor, width: int) -> Tensor:
    return torch.arange(width)[None] >= lengths[:, None]


class FFTBlock(nn.Module):
    def __init__(self, dim: int, heads: int = 2):
        super().__init__()
        self.heads = heads
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.conv1, self.conv2 = nn.Conv1d(dim, 2 * dim, 3, padding=1), nn.Conv1d(2 * dim, dim, 1)

    def attend(self, x: Tensor, pad: Tensor) -> Tensor:
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2)
        scores.mul_((d // self.heads) ** -0.5)
        scores.masked_fill_(pad[:, None, None], float("-inf"))
        out = scores.softmax(-1) @ v
        return self.proj(out.transpose(1, 2).reshape(b, t, d))

    def forward(self, x: Tensor, pad: Tensor) -> Tensor:
        x = self.ln1(x + self.attend(x, pad))
        y = self.conv2(F.relu_(self.conv1(x.transpose(1, 2)))).transpose(1, 2)
        x = self.ln2(x + y)
        return x.masked_fill(pad.unsqueeze(-1), 0.0)


class LengthRegulator(nn.Module):
    def forward(self, x: Tensor, durations: Tensor, max_len: Optional[int] = None):
        frames = durations.sum(1)
        width = int(frames.max()) if max_len is None else max_len
        out = x.new_zeros(x.shape[0], width, x.shape[2])
        for i, (row, dur) in enumerate(zip(x, durations)):
            expanded = torch.repeat_interleave(row, dur, dim=0)[:width]
            out[i, : len(expanded)] = expanded
        return out, frames.clamp_(max=width)


class Acoustic(nn.Module):
    def __init__(self, vocab: int = 20, dim: int = 16, n_mels: int = 8):
        super().__init__()
        self.table = nn.Embedding(vocab, dim, padding_idx=0)
        self.encoder, self.decoder = FFTBlock(dim), FFTBlock(dim)
        self.duration = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(inplace=True), nn.Linear(dim, 1))
        self.regulate = LengthRegulator()
        self.mel = nn.Linear(dim, n_mels)

    def forward(self, text: Tensor, durations: Tensor) -> Dict[str, Tensor]:
        pad = text.eq(0)
        h = self.encoder(self.table(text), pad)
        log_dur = self.duration(h.detach()).squeeze(-1)
        log_dur.masked_fill_(pad, 0.0)
        y, frames = self.regulate(h, durations)
        frame_pad = padding_mask(frames, y.shape[1])
        mel = self.mel(self.decoder(y, frame_pad))
        return {"mel": mel, "log_dur": log_dur, "pad": frame_pad, "text_pad": pad}


def losses(out: Dict[str, Tensor], mel: Tensor, durations: Tensor) -> Tensor:
    keep = (~out["pad"]).unsqueeze(-1)
    l_mel = ((out["mel"] - mel).abs() * keep).sum() / keep.sum()
    l_dur = F.mse_loss(out["log_dur"], durations.float().log1p_())
    return l_mel + l_dur


# --- driver ---
torch.manual_seed(9)
model = Acoustic()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(3):
    text = torch.randint(1, 20, (3, 5))
    text[1, 3:] = 0
    dur = torch.randint(1, 4, (3, 5)).masked_fill_(text.eq(0), 0)
    out = model(text, dur)
    loss = losses(out, torch.randn(out["mel"].shape), dur)
    opt.zero_grad()
    loss.backward()
    opt.step()
