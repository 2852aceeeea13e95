"""Speaker verification: SE-Res1d front-end, attentive pooling, AAM-softmax head."""
import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class SpeakerConfig:
    n_mels: int = 24
    channels: int = 32
    emb_dim: int = 16
    n_speakers: int = 10
    margin: float = 0.2
    scale: float = 15.0


class SqueezeExcite1d(nn.Module):
    def __init__(self, channels, reduction=4):
        super().__init__()
        self.down = nn.Conv1d(channels, channels // reduction, 1)
        self.up = nn.Conv1d(channels // reduction, channels, 1)

    def forward(self, x):
        s = x.mean(dim=2, keepdim=True)
        s = F.relu(self.down(s))
        return torch.sigmoid(self.up(s))


class TDNNBlock(nn.Module):
    def __init__(self, c_in, c_out, k, dilation=1):
        super().__init__()
        self.conv = nn.Conv1d(c_in, c_out, k, dilation=dilation, padding=dilation * (k - 1) // 2)
        self.bn = nn.BatchNorm1d(c_out)

    def forward(self, x):
        return F.relu(self.bn(self.conv(x)))


class SEResBlock(nn.Module):
    def __init__(self, channels, dilation):
        super().__init__()
        self.tdnn1 = TDNNBlock(channels, channels, 1)
        self.tdnn2 = TDNNBlock(channels, channels, 3, dilation)
        self.se = SqueezeExcite1d(channels)

    def forward(self, x):
        out = self.tdnn1(x)
        out = self.tdnn2(out)
        out *= self.se(out)  # BUG
        return out + x


class AttentiveStatsPool(nn.Module):
    def __init__(self, channels, hidden=16):
        super().__init__()
        self.att = nn.Sequential(nn.Conv1d(channels, hidden, 1), nn.Tanh(), nn.Conv1d(hidden, channels, 1))

    def forward(self, x):
        w = torch.softmax(self.att(x), dim=2)
        mu = (w * x).sum(2)
        var = (w * x.pow(2)).sum(2) - mu.pow(2)
        return torch.cat([mu, var.clamp(min=1e-6).sqrt()], dim=1)


class SpeakerNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.stem = TDNNBlock(cfg.n_mels, cfg.channels, 5)
        self.blocks = nn.ModuleList(SEResBlock(cfg.channels, d) for d in (2, 3))
        self.pool = AttentiveStatsPool(cfg.channels)
        self.fc = nn.Linear(cfg.channels * 2, cfg.emb_dim)

    def forward(self, mel):
        x = self.stem(mel)
        for b in self.blocks:
            x = b(x)
        return self.fc(self.pool(x))


class AAMSoftmax(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(cfg.n_speakers, cfg.emb_dim) * 0.1)
        self.scale = cfg.scale
        self.cos_m, self.sin_m = math.cos(cfg.margin), math.sin(cfg.margin)

    def forward(self, emb, labels):
        cosine = F.linear(F.normalize(emb), F.normalize(self.weight)).clamp(-0.999, 0.999)
        sine = (1.0 - cosine.pow(2)).sqrt()
        phi = cosine * self.cos_m - sine * self.sin_m
        one_hot = torch.zeros_like(cosine)
        one_hot.scatter_(1, labels.view(-1, 1), 1)
        logits = self.scale * (one_hot * phi + (1 - one_hot) * cosine)
        return F.cross_entropy(logits, labels)


def train_epoch(net, head, optim, batches):
    losses = []
    for mel, spk in batches:
        optim.zero_grad()
        loss = head(net(mel), spk)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optim.step()
        losses.append(loss.item())
    return losses


# --- driver ---
cfg = SpeakerConfig()
net, head = SpeakerNet(cfg), AAMSoftmax(cfg)
opt = torch.optim.Adam(list(net.parameters()) + list(head.parameters()), lr=1e-3)
data = [(torch.randn(4, cfg.n_mels, 40), torch.randint(0, cfg.n_speakers, (4,))) for _ in range(2)]
print(train_epoch(net, head, opt, data))
