import torch


def discounted(rewards, dones, bootstrap, gamma):
    out = torch.empty(len(rewards), bootstrap.numel())
    acc = bootstrap.clone()
    for t in reversed(range(len(rewards))):
        acc.mul_(1 - dones[t]).mul_(gamma).add_(rewards[t])
        out[t] = acc
    return out


class Learner:
    def __init__(self, policy, cfg):
        self.policy, self.cfg = policy, cfg
        self.opt = torch.optim.RMSprop(policy.parameters(), lr=cfg.lr)

    def loss(self, traj):
        ret = discounted(traj["reward"], traj["done"], traj["bootstrap"], self.cfg.gamma)
        value = torch.stack(traj["value"])
        logp = torch.stack(traj["logp"])
        adv = (ret - value).detach()
        adv -= adv.mean()
        adv /= adv.std() + 1e-6
        pg = -(logp * adv).mean()
        ent = torch.stack(traj["entropy"]).mean()
        return pg + 0.5 * (ret - value).pow(2).mean() - self.cfg.entropy * ent

    def update(self, traj):
        loss = self.loss(traj)
        self.opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.policy.parameters(), 1.0)
        self.opt.step()
        return {"loss": round(loss.item(), 4)}
