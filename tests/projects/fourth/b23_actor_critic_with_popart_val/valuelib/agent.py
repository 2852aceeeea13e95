import torch
import torch.nn.functional as F

from .nets import ActorCriticNet


class PPOLikeAgent:
    def __init__(self, net, lr, vf_coef, clip=0.2):
        self.net, self.vf_coef, self.clip = net, vf_coef, clip
        self.opt = torch.optim.Adam(net.parameters(), lr=lr)

    @classmethod
    def from_config(cls, cfg):
        return cls(ActorCriticNet(cfg), cfg["lr"], cfg["vf_coef"])

    @torch.no_grad()
    def sample(self, obs):
        dist, _ = self.net(obs)
        a = dist.sample()
        return a, dist.log_prob(a)

    def policy_loss(self, dist, batch, value):
        adv = batch["ret"] - self.net.v.denorm(value.detach())
        adv -= adv.mean()
        adv /= adv.std() + 1e-6
        ratio = (dist.log_prob(batch["act"]) - batch["logp"]).exp()
        return -torch.min(ratio * adv, ratio.clamp(1 - self.clip, 1 + self.clip) * adv).mean()

    def value_loss(self, value, batch):
        return F.smooth_l1_loss(value, self.net.v.targets(batch["ret"]))

    def update(self, batch):
        dist, value = self.net(batch["obs"])
        pl = self.policy_loss(dist, batch, value)
        vl = self.value_loss(value, batch)
        self.opt.zero_grad(set_to_none=True)
        (pl + self.vf_coef * vl).backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.opt.step()
        return {"pi": pl.item(), "v": vl.item()}
