import torch
import torch.nn.functional as F


def hinge(real, fake):
    return F.relu(1 - real).mean() + F.relu(1 + fake).mean()


def logistic(real, fake):
    return F.softplus(-real).mean() + F.softplus(fake).mean()


LOSSES = {"hinge": hinge, "logistic": logistic}


class EnergyTrainer:
    def __init__(self, critic, exp):
        self.critic = critic
        self.loss_fn = LOSSES[exp.loss]
        self.opt = torch.optim.Adam(critic.parameters(), lr=exp.lr, betas=(0.0, 0.9))
        self.running = torch.zeros(2)

    def step(self, real, fake):
        self.critic.train()
        s_real = self.critic(real)
        s_fake = self.critic(fake)
        loss = self.loss_fn(s_real, s_fake)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        with torch.no_grad():
            self.running.mul_(0.9)
            self.running[0] += 0.1 * s_real.mean()
            self.running[1] += 0.1 * s_fake.mean()
        return {"loss": loss.item(), "real": self.running[0].item(), "fake": self.running[1].item()}
