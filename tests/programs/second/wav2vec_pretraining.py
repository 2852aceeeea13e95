"""wav2vec 2.0 style contrastive pre-training on raw audio."""
from typing import NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class PretrainOutput(NamedTuple):
    context: torch.Tensor
    targets: torch.Tensor
    mask: torch.Tensor


def compute_mask(shape, prob, length):
    b, t = shape
    mask = torch.zeros(b, t, dtype=torch.bool)
    n = max(1, int(prob * t / length))
    for i in range(b):
        for s in torch.randperm(t - length)[:n].tolist():
            mask[i, s:s + length] = True
    return mask


class FeatureExtractor(nn.Module):
    def __init__(self, dim, spec=((10, 5), (3, 2), (3, 2))):
        super().__init__()
        layers, cin = [], 1
        for k, s in spec:
            layers += [nn.Conv1d(cin, dim, k, s), nn.GroupNorm(2, dim), nn.GELU()]
            cin = dim
        self.net = nn.Sequential(*layers)

    def forward(self, wav):
        return self.net(wav.unsqueeze(1)).transpose(1, 2)


class GumbelQuantizer(nn.Module):
    def __init__(self, dim, codes=16, tau=1.0):
        super().__init__()
        self.logits = nn.Linear(dim, codes)
        self.codebook = nn.Parameter(torch.randn(codes, dim))
        self.tau = tau

    def forward(self, x):
        p = F.gumbel_softmax(self.logits(x), tau=self.tau, hard=False, dim=-1)
        return p @ self.codebook


class Wav2Vec(nn.Module):
    def __init__(self, dim=16, layers=1):
        super().__init__()
        self.extract = FeatureExtractor(dim)
        self.norm = nn.LayerNorm(dim)
        self.quantizer = GumbelQuantizer(dim)
        self.mask_emb = nn.Parameter(torch.empty(dim).uniform_())
        enc = nn.TransformerEncoderLayer(dim, 2, dim * 2, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(enc, layers)
        self.final = nn.Linear(dim, dim)

    def forward(self, wav, mask_prob=0.5, mask_len=3):
        feats = self.norm(self.extract(wav))
        targets = self.quantizer(feats)
        mask = compute_mask(feats.shape[:2], mask_prob, mask_len)
        feats[mask] = self.mask_emb  # BUG
        ctx = self.encoder(feats)
        return PretrainOutput(self.final(ctx), targets, mask)


def contrastive_loss(out: PretrainOutput, n_neg=4, temp=0.1):
    losses = []
    for c, q, m in zip(out.context, out.targets, out.mask):
        c, q = c[m], q[m]
        n = c.size(0)
        neg = torch.randint(0, max(n - 1, 1), (n, n_neg))
        neg += (neg >= torch.arange(n)[:, None]).long()
        cand = torch.cat([q[:, None], q[neg.clamp_(max=n - 1)]], dim=1)
        sim = F.cosine_similarity(c[:, None], cand, dim=-1) / temp
        losses.append(F.cross_entropy(sim, torch.zeros(n, dtype=torch.long)))
    return torch.stack(losses).mean()


class PretrainLoop:
    def __init__(self, model, lr=5e-4, max_norm=1.0):
        self.model, self.max_norm = model, max_norm
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)

    def __call__(self, wav):
        loss = contrastive_loss(self.model(wav))
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
        self.opt.step()
        return loss.item()


# --- driver ---
torch.manual_seed(0)
PretrainLoop(Wav2Vec())(torch.randn(2, 400))
