import torch
from torch import nn
import torch.nn.functional as F


class PopArt(nn.Module):
    """Value head whose outputs stay the same while its target statistics move."""

    def __init__(self, in_features, beta=0.01, eps=1e-4):
        super().__init__()
        self.beta, self.eps = beta, eps
        self.weight = nn.Parameter(torch.empty(1, in_features))
        self.bias = nn.Parameter(torch.zeros(1))
        nn.init.orthogonal_(self.weight)
        self.register_buffer("mean", torch.zeros(1))
        self.register_buffer("mean_sq", torch.ones(1))

    @property
    def std(self):
        return (self.mean_sq - self.mean.pow(2)).clamp(min=self.eps).sqrt()

    def forward(self, x):
        return F.linear(x, self.weight, self.bias)

    @torch.no_grad()
    def update(self, returns):
        old_mean, old_std = self.mean.clone(), self.std
        self.mean.mul_(1 - self.beta).add_(self.beta * returns.mean())
        self.mean_sq.mul_(1 - self.beta).add_(self.beta * returns.pow(2).mean())
        self.weight.mul_(old_std / self.std)  # BUG
        self.bias.copy_((old_std * self.bias + old_mean - self.mean) / self.std)

    def normalize(self, returns):
        return (returns - self.mean) / self.std

    def denormalize(self, value):
        return value * self.std + self.mean


class ActorCritic(nn.Module):
    def __init__(self, obs_dim, n_act, hidden=16):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs_dim, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.pi = nn.Linear(hidden, n_act)
        self.v = PopArt(hidden)

    def forward(self, obs):
        h = self.body(obs)
        return torch.distributions.Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def discounted(rewards, dones, bootstrap, gamma=0.99):
    out = torch.zeros_like(rewards)
    running = bootstrap.clone()
    for t in range(rewards.shape[0] - 1, -1, -1):
        running.mul_(gamma * (1 - dones[t])).add_(rewards[t])
        out[t] = running
    return out


class A2C:
    def __init__(self, net, lr=7e-4, vf_coef=0.5, ent_coef=0.01):
        self.net = net
        self.vf_coef, self.ent_coef = vf_coef, ent_coef
        self.opt = torch.optim.RMSprop(net.parameters(), lr=lr)

    def update(self, obs, actions, rewards, dones, last_obs):
        dist, value = self.net(obs.flatten(0, 1))
        with torch.no_grad():
            boot = self.net.v.denormalize(self.net(last_obs)[1])
            returns = discounted(rewards, dones, boot).flatten()
            adv = returns - self.net.v.denormalize(value)
            adv.sub_(adv.mean()).div_(adv.std() + 1e-8)
        self.net.v.update(returns)
        value_loss = F.mse_loss(value, self.net.v.normalize(returns))
        policy_loss = -(dist.log_prob(actions.flatten()) * adv).mean()
        loss = policy_loss + self.vf_coef * value_loss - self.ent_coef * dist.entropy().mean()
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
        self.opt.step()


# --- driver ---
torch.manual_seed(0)
agent = A2C(ActorCritic(4, 2))
T, N = 5, 2
agent.update(
    torch.randn(T, N, 4), torch.randint(0, 2, (T, N)), torch.randn(T, N) * 10, torch.zeros(T, N), torch.randn(N, 4)
)
