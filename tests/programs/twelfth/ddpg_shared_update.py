"""DDPG for a reaching task. Observations and goals are concatenated (UVFA), losses of both nets come from one pass."""
import torch
from torch import nn
from types import SimpleNamespace


class Net(nn.Module):
    def __init__(self, i, o, squash=False):
        super().__init__()
        self.f1 = nn.Linear(i, 32)
        self.f2 = nn.Linear(32, 32)
        self.f3 = nn.Linear(32, o)
        self.squash = squash

    def forward(self, *xs):
        h = torch.cat(xs, -1)
        h = torch.relu_(self.f1(h))
        h = torch.relu_(self.f2(h))
        h = self.f3(h)
        return h.tanh_() if self.squash else h


class Agent:
    def __init__(self, obs, goal, act, hp):
        self.hp = hp
        self.actor, self.critic = Net(obs + goal, act, True), Net(obs + goal + act, 1)
        self.targets = SimpleNamespace(actor=Net(obs + goal, act, True), critic=Net(obs + goal + act, 1))
        self.sync(1.0)
        self.opts = {
            "critic": torch.optim.Adam(self.critic.parameters(), hp.lr_critic),
            "actor": torch.optim.Adam(self.actor.parameters(), hp.lr_actor),
        }

    def sync(self, rate):
        with torch.no_grad():
            for name in ("actor", "critic"):
                src, dst = getattr(self, name), getattr(self.targets, name)
                for ps, pd in zip(src.parameters(), dst.parameters()):
                    pd.mul_(1 - rate).add_(ps, alpha=rate)

    def targets_for(self, b):
        with torch.no_grad():
            nxt = self.targets.critic(b.s2, b.g, self.targets.actor(b.s2, b.g)).squeeze(-1)
            return (b.r + self.hp.gamma * nxt).clamp_(-1 / (1 - self.hp.gamma), 0)

    def losses(self, b):
        q = self.critic(b.s, b.g, b.a).squeeze(-1)
        a = self.actor(b.s, b.g)
        return {
            "critic": (q - self.targets_for(b)).square().mean(),
            "actor": -self.critic(b.s, b.g, a).mean() + self.hp.action_l2 * a.square().mean(),
        }

    def learn(self, b):
        losses = self.losses(b)
        for name, loss in losses.items():
            opt = self.opts[name]
            opt.zero_grad()
            loss.backward(retain_graph=True)
            opt.step()  # BUG
        self.sync(self.hp.tau)
        return {k: round(v.item(), 4) for k, v in losses.items()}


def her_relabel(batch, p=0.5):
    """Hindsight: replace some of the goals by what was reached."""
    mask = torch.rand(len(batch.r)) < p
    batch.g[mask] = batch.s2[mask, :2]
    batch.r.copy_(-((batch.s2[:, :2] - batch.g).norm(dim=-1) > 0.1).float())
    return batch


def fake_batch(n):
    return SimpleNamespace(s=torch.randn(n, 4), a=torch.rand(n, 2) * 2 - 1, s2=torch.randn(n, 4), g=torch.rand(n, 2), r=torch.zeros(n))


# --- driver ---
torch.manual_seed(13)
hp = SimpleNamespace(lr_critic=1e-3, lr_actor=1e-3, gamma=0.95, tau=0.05, action_l2=0.1)
ag = Agent(4, 2, 2, hp)
for _ in range(3):
    print(ag.learn(her_relabel(fake_batch(16))))
