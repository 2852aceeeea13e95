"""Alignment learning for TTS: text/mel attention scored by a left-to-right forward recursion."""
import torch
import torch.nn as nn
import torch.nn.functional as F

NEG = -1e4


class ConvBank(nn.Module):
    def __init__(self, c_in, c_out, kernel=3):
        super().__init__()
        self.a = nn.Conv1d(c_in, c_out, kernel, padding=kernel // 2)
        self.b = nn.Conv1d(c_out, c_out, 1)

    def forward(self, x):
        return self.b(F.relu(self.a(x)))


class Aligner(nn.Module):
    def __init__(self, n_mels, n_phones, dim=16, temperature=0.05):
        super().__init__()
        self.phones = nn.Embedding(n_phones, dim)
        self.key = ConvBank(dim, dim)
        self.query = ConvBank(n_mels, dim)
        self.temperature = temperature

    def forward(self, mel, text, prior=None):
        q = self.query(mel).transpose(1, 2)
        k = self.key(self.phones(text).transpose(1, 2)).transpose(1, 2)
        d = (q.unsqueeze(2) - k.unsqueeze(1)).square().sum(-1)
        logp = F.log_softmax(-self.temperature * d, dim=-1)
        if prior is not None:
            logp = F.log_softmax(logp + prior, dim=-1)
        return logp


def beta_like_prior(frames, tokens, width=0.3):
    t = torch.linspace(0, 1, frames)[:, None]
    s = torch.linspace(0, 1, tokens)[None]
    prior = (t - s).square_().div_(-2 * width ** 2)
    prior -= prior.logsumexp(-1, keepdim=True)
    return prior


class ForwardSum(nn.Module):
    """log p(alignment) summed over monotonic paths."""

    def forward(self, logp):
        b, frames, tokens = logp.shape
        table = logp.new_full((b, frames, tokens), NEG)
        table[:, 0, 0] = logp[:, 0, 0]
        for t in range(1, frames):
            stay = table[:, t - 1]
            move = F.pad(stay[:, :-1], (1, 0), value=NEG)
            table[:, t] = torch.logaddexp(stay, move) + logp[:, t]  # BUG
        return -table[:, -1, -1].mean() / frames


class BinarisationLoss(nn.Module):
    def forward(self, logp):
        with torch.no_grad():
            hard = torch.zeros_like(logp)
            hard.scatter_(-1, logp.argmax(-1, keepdim=True), 1.0)
        return -(logp * hard).sum() / hard.sum()


class AlignmentTask(nn.Module):
    def __init__(self, aligner, bin_start=2):
        super().__init__()
        self.aligner, self.path, self.binary = aligner, ForwardSum(), BinarisationLoss()
        self.bin_start = bin_start

    def forward(self, mel, text, step):
        prior = beta_like_prior(mel.shape[-1], text.shape[-1])
        logp = self.aligner(mel, text, prior)
        loss = self.path(logp)
        if step >= self.bin_start:
            loss = loss + 0.1 * self.binary(logp)
        return loss


# --- driver ---
torch.manual_seed(8)
task = AlignmentTask(Aligner(n_mels=8, n_phones=12))
opt = torch.optim.Adam(task.parameters(), lr=1e-3)
for step in range(4):
    loss = task(torch.randn(2, 8, 10), torch.randint(0, 12, (2, 4)), step)
    opt.zero_grad()
    loss.backward()
    opt.step()
