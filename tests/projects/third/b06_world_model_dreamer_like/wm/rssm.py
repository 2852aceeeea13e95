import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Normal, kl_divergence


def mlp(i, h, o):
    return nn.Sequential(nn.Linear(i, h), nn.ELU(inplace=True), nn.Linear(h, o))


class RSSM(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.embed = mlp(cfg.obs_dim, cfg.hidden, cfg.hidden)
        self.pre = nn.Linear(cfg.stoch + cfg.act_dim, cfg.hidden)
        self.cell = nn.GRUCell(cfg.hidden, cfg.deter)
        self.prior_net = mlp(cfg.deter, cfg.hidden, 2 * cfg.stoch)
        self.post_net = mlp(cfg.deter + cfg.hidden, cfg.hidden, 2 * cfg.stoch)
        self.decoder = mlp(cfg.deter + cfg.stoch, cfg.hidden, cfg.obs_dim)
        self.reward = mlp(cfg.deter + cfg.stoch, cfg.hidden, 1)

    @staticmethod
    def _dist(stats):
        mean, std = stats.chunk(2, -1)
        return Normal(mean, F.softplus(std) + 0.1)

    def observe(self, obs, act):
        B, T, _ = obs.shape
        emb = self.embed(obs)
        deter = torch.zeros(B, T + 1, self.cfg.deter)
        stoch = torch.zeros(B, self.cfg.stoch)
        stochs, kls = [], []
        for t in range(T):
            x = F.elu(self.pre(torch.cat([stoch, act[:, t]], -1)))
            deter[:, t + 1] = self.cell(x, deter[:, t])  # BUG
            prior = self._dist(self.prior_net(deter[:, t + 1]))
            post = self._dist(self.post_net(torch.cat([deter[:, t + 1], emb[:, t]], -1)))
            stoch = post.rsample()
            stochs.append(stoch)
            kls.append(kl_divergence(post, prior).sum(-1))
        feat = torch.cat([deter[:, 1:], torch.stack(stochs, 1)], -1)
        return feat, torch.stack(kls, 1)

    def loss(self, obs, act, rew):
        feat, kl = self.observe(obs, act)
        recon = F.mse_loss(self.decoder(feat), obs)
        r_loss = F.mse_loss(self.reward(feat).squeeze(-1), rew)
        kl_loss = kl.mean().clamp(min=self.cfg.free_nats)
        total = recon + r_loss
        total += self.cfg.kl_scale * kl_loss
        return total, {"recon": recon.item(), "reward": r_loss.item(), "kl": kl_loss.item()}
