"""Masked prediction of contextual targets for audio frames, with running standardisation of features."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class RunningStandardiser(nn.Module):
    """Centres and scales channels by long-run statistics."""

    def __init__(self, channels, momentum=0.05):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("mean", torch.zeros(channels))
        self.register_buffer("std", torch.ones(channels))

    def forward(self, x):
        return (x - self.mean) / self.std

    @torch.no_grad()
    def observe(self, x):
        flat = x.detach().flatten(0, 1)
        self.mean.lerp_(flat.mean(0), self.momentum)
        self.std.lerp_(flat.std(0), self.momentum)  # BUG


class FrameEncoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.convs = nn.ModuleList([nn.Conv1d(1, dim, 10, stride=5), nn.Conv1d(dim, dim, 4, stride=2)])
        self.standardise = RunningStandardiser(dim)

    def forward(self, wav):
        x = wav.unsqueeze(1)
        for conv in self.convs:
            x = F.gelu(conv(x))
        self.raw = x.transpose(1, 2)
        return self.standardise(self.raw)


class Context(nn.Module):
    def __init__(self, dim, depth):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(dim, 2, 2 * dim, dropout=0.0, batch_first=True) for _ in range(depth))

    def forward(self, x):
        states = []
        for layer in self.layers:
            x = layer(x)
            states.append(x)
        return states


def span_mask(batch, frames, prob=0.2, span=3):
    mask = torch.zeros(batch, frames, dtype=torch.bool)
    for row in mask:
        for s in torch.randint(0, frames - span, (max(1, int(prob * frames)),)).tolist():
            row[s:s + span] = True
    return mask


class MaskedAudioModel(nn.Module):
    def __init__(self, dim=16, depth=2, top_k=2, decay=0.99):
        super().__init__()
        self.encoder, self.context = FrameEncoder(dim), Context(dim, depth)
        self.mask_token = nn.Parameter(torch.randn(dim) * 0.1)
        self.predict = nn.Linear(dim, dim)
        self.teacher = copy.deepcopy(self.context).requires_grad_(False)
        self.top_k, self.decay = top_k, decay

    @torch.no_grad()
    def targets(self, feats):
        states = self.teacher(feats)[-self.top_k:]
        normed = [F.layer_norm(s, s.shape[-1:]) for s in states]
        return torch.stack(normed).mean(0)

    @torch.no_grad()
    def update_teacher(self):
        for t, s in zip(self.teacher.parameters(), self.context.parameters()):
            t.lerp_(s, 1 - self.decay)

    def forward(self, wav):
        feats = self.encoder(wav)
        goal = self.targets(feats)
        mask = span_mask(*feats.shape[:2])
        masked = feats.clone()
        masked[mask] = self.mask_token
        pred = self.predict(self.context(masked)[-1])
        return F.smooth_l1_loss(pred[mask], goal[mask])


class Pretrainer:
    def __init__(self, model, lr=1e-3):
        self.model = model
        self.opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=lr)
        self.step_count = 0

    def bookkeeping(self):
        self.step_count += 1
        self.model.encoder.standardise.observe(self.model.encoder.raw)
        self.model.update_teacher()

    def step(self, wav):
        loss = self.model(wav)
        self.bookkeeping()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


# --- driver ---
torch.manual_seed(42)
trainer = Pretrainer(MaskedAudioModel())
for _ in range(2):
    trainer.step(torch.randn(4, 200))
