"""Momentum contrast for utterance embeddings."""
import copy
import torch
from torch import nn
import torch.nn.functional as F


class UtteranceEncoder(nn.Module):
    def __init__(self, n_mels=16, dim=12):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(n_mels, 24, 5, stride=2, padding=2), nn.BatchNorm1d(24), nn.ReLU(inplace=True),
            nn.Conv1d(24, 24, 3, padding=1), nn.ReLU(inplace=True),
        )
        self.head = nn.Linear(48, dim)

    def forward(self, mel):
        h = self.body(mel)
        return F.normalize(self.head(torch.cat([h.mean(-1), h.std(-1)], -1)), dim=-1)


class MoCo(nn.Module):
    def __init__(self, encoder, dim, size=32, m=0.99, tau=0.1):
        super().__init__()
        self.q, self.k = encoder, copy.deepcopy(encoder)
        for p in self.k.parameters():
            p.requires_grad_(False)
        self.m, self.tau = m, tau
        self.register_buffer("queue", F.normalize(torch.randn(dim, size), dim=0))
        self.register_buffer("ptr", torch.zeros((), dtype=torch.long))

    @torch.no_grad()
    def momentum_update(self):
        for a, b in zip(self.k.parameters(), self.q.parameters()):
            a.mul_(self.m).add_(b, alpha=1 - self.m)

    @torch.no_grad()
    def enqueue(self, keys):
        n, at = keys.shape[0], int(self.ptr)
        self.queue[:, at : at + n] = keys.t()  # BUG
        self.ptr.fill_((at + n) % self.queue.shape[1])

    def forward(self, xq, xk):
        q = self.q(xq)
        with torch.no_grad():
            self.momentum_update()
            k = self.k(xk)
        pos = (q * k).sum(-1, keepdim=True)
        neg = q @ self.queue
        logits = torch.cat([pos, neg], 1)
        logits /= self.tau
        self.enqueue(k)
        return logits, torch.zeros(len(q), dtype=torch.long)


def crop_pair(wave, width):
    def one():
        at = int(torch.randint(0, wave.shape[-1] - width + 1, ()))
        return wave[..., at : at + width]
    return one(), one()


def pretrain(moco, loader, lr=0.03):
    opt = torch.optim.SGD(moco.q.parameters(), lr, momentum=0.9, weight_decay=1e-4)
    for mel in loader:
        logits, target = moco(*crop_pair(mel, 20))
        loss = F.cross_entropy(logits, target)
        opt.zero_grad()
        loss.backward()
        opt.step()
        yield loss.item(), (logits.argmax(1) == 0).float().mean().item()


# --- driver ---
torch.manual_seed(9)
for stat in pretrain(MoCo(UtteranceEncoder(), 12), [torch.randn(8, 16, 30) for _ in range(4)]):
    print(stat)
