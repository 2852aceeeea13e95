import torch


class Level:
    """One level of the hierarchy: remembers its decisions until it is updated."""

    def __init__(self, name, params, lr):
        self.name = name
        self.opt = torch.optim.RMSprop(params, lr=lr)
        self.logps, self.rewards = [], []
        self.baseline = torch.zeros(())

    def decide(self, dist):
        a = dist.sample()
        self.logps.append(dist.log_prob(a))
        self.rewards.append(0.0)
        return a

    def credit(self, r):
        self.rewards[-1] += r

    def update(self):
        ret = torch.tensor(self.rewards)
        self.baseline.lerp_(ret.mean(), 0.1)
        adv = ret - self.baseline
        loss = -(torch.stack(self.logps) * adv).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()  # BUG
        self.logps.clear()
        self.rewards.clear()
        return loss.item()
