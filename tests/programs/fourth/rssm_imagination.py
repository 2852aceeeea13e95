from __future__ import annotations

import dataclasses
from typing import Dict, Optional

import torch
import torch.distributions as td
import torch.nn as nn
import torch.nn.functional as F


@dataclasses.dataclass(frozen=True)
class WorldConfig:
    obs: int = 6
    act: int = 2
    deter: int = 10
    stoch: int = 4
    min_std: float = 0.1
    free_nats: float = 0.5


class StateKeeper:
    """Holds the recurrent state between environment steps."""

    def __init__(self, cfg: WorldConfig, batch: int):
        self.deter = torch.zeros(batch, cfg.deter)
        self.stoch = torch.zeros(batch, cfg.stoch)

    def reset(self, is_first: torch.Tensor) -> None:
        keep = (~is_first).float().unsqueeze(1)
        self.deter *= keep  # BUG
        self.stoch = self.stoch * keep

    def update(self, deter, stoch):
        self.deter, self.stoch = deter, stoch


class RSSM(nn.Module):
    def __init__(self, cfg: WorldConfig):
        super().__init__()
        self.cfg = cfg
        self.inp = nn.Linear(cfg.stoch + cfg.act, cfg.deter)
        self.cell = nn.GRUCell(cfg.deter, cfg.deter)
        self.prior_net = nn.Linear(cfg.deter, 2 * cfg.stoch)
        self.post_net = nn.Linear(cfg.deter + cfg.obs, 2 * cfg.stoch)

    def dist(self, stats):
        mean, std = stats.chunk(2, -1)
        return td.Normal(mean, F.softplus(std) + self.cfg.min_std)

    def step(self, keeper: StateKeeper, action, obs: Optional[torch.Tensor]):
        x = F.elu(self.inp(torch.cat([keeper.stoch, action], -1)))
        deter = self.cell(x, keeper.deter)
        prior = self.dist(self.prior_net(deter))
        post = prior if obs is None else self.dist(self.post_net(torch.cat([deter, obs], -1)))
        keeper.update(deter, post.rsample())
        return prior, post


class WorldModel(nn.Module):
    def __init__(self, cfg: WorldConfig):
        super().__init__()
        self.cfg, self.rssm = cfg, RSSM(cfg)
        self.decoder = nn.Linear(cfg.deter + cfg.stoch, cfg.obs)
        self.reward = nn.Linear(cfg.deter + cfg.stoch, 1)

    def losses(self, seq: Dict[str, torch.Tensor]):
        keeper = StateKeeper(self.cfg, seq["obs"].shape[0])
        kl, feats = [], []
        for t in range(seq["obs"].shape[1]):
            keeper.reset(seq["is_first"][:, t])
            prior, post = self.rssm.step(keeper, seq["action"][:, t], seq["obs"][:, t])
            kl.append(td.kl_divergence(post, prior).sum(-1))
            feats.append(torch.cat([keeper.deter, keeper.stoch], -1))
        feat = torch.stack(feats, 1)
        recon = F.mse_loss(self.decoder(feat), seq["obs"])
        reward = F.mse_loss(self.reward(feat).squeeze(-1), seq["reward"])
        return {"recon": recon, "reward": reward, "kl": torch.stack(kl).mean().clamp(min=self.cfg.free_nats)}


def update(model, opt, seq, max_norm=100.0):
    losses = model.losses(seq)
    opt.zero_grad()
    sum(losses.values()).backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    opt.step()
    return {k: v.item() for k, v in losses.items()}


# --- driver ---
torch.manual_seed(0)
model = WorldModel(WorldConfig())
opt = torch.optim.Adam(model.parameters(), 6e-4)
first = torch.zeros(3, 4, dtype=torch.bool); first[:, 0] = True; first[1, 2] = True
update(model, opt, dict(obs=torch.randn(3, 4, 6), action=torch.randn(3, 4, 2), reward=torch.randn(3, 4), is_first=first))
