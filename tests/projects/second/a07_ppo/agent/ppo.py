import torch

from .utils import explained_variance, normalise_


class PPO:
    def __init__(self, policy, lr=3e-4, clip=0.2):
        self.policy = policy
        self.clip = clip
        self.opt = torch.optim.Adam(policy.parameters(), lr=lr)

    def update(self, roll):
        dist, value = self.policy(roll.obs)
        logp = dist.log_prob(roll.act).sum(-1)
        adv = roll.rew - value
        value_loss = adv.pow(2).mean()
        adv = normalise_(adv)
        ratio = (logp - roll.logp).exp()
        clipped = ratio.clamp(1 - self.clip, 1 + self.clip)
        policy_loss = -torch.min(ratio * adv, clipped * adv).mean()
        loss = policy_loss + 0.5 * value_loss
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return explained_variance(value.detach(), roll.rew)
