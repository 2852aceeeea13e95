# PPO, single file in the cleanrl manner
import torch
import torch.nn as nn
from torch.distributions.normal import Normal

torch.manual_seed(14)
torch.set_num_threads(1)

num_steps, num_envs, obs_dim, act_dim = 16, 4, 3, 2
gamma, lam, clip, epochs, mb = 0.95, 0.95, 0.2, 3, 16


def layer_init(layer, std=2 ** 0.5, bias=0.0):
    torch.nn.init.orthogonal_(layer.weight, std)
    torch.nn.init.constant_(layer.bias, bias)
    return layer


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.critic = nn.Sequential(layer_init(nn.Linear(obs_dim, 32)), nn.Tanh(), layer_init(nn.Linear(32, 1), 1.0))
        self.mean = nn.Sequential(layer_init(nn.Linear(obs_dim, 32)), nn.Tanh(), layer_init(nn.Linear(32, act_dim), 0.01))
        self.logstd = nn.Parameter(torch.zeros(1, act_dim))

    def get(self, x, action=None):
        mu = self.mean(x)
        std = self.logstd.expand_as(mu).exp()
        d = Normal(mu, std)
        if action is None:
            action = d.sample()
        return action, d.log_prob(action).sum(1), d.entropy().sum(1), self.critic(x).flatten()


def env_step(state, a):
    state = 0.9 * state
    state[:, :2] += 0.2 * a.clamp(-1, 1)
    state += 0.05 * torch.randn_like(state)
    return state, -state.pow(2).sum(1), (torch.rand(num_envs) < 0.05).float()


agent = Agent()
opt = torch.optim.Adam(agent.parameters(), lr=3e-3, eps=1e-5)
obs = torch.zeros(num_steps, num_envs, obs_dim)
actions = torch.zeros(num_steps, num_envs, act_dim)
logprobs, rewards, dones, values = (torch.zeros(num_steps, num_envs) for _ in range(4))
next_obs, next_done = torch.randn(num_envs, obs_dim), torch.zeros(num_envs)

for update in range(4):
    frac = 1.0 - update / 4
    opt.param_groups[0]["lr"] = frac * 3e-3
    for t in range(num_steps):
        obs[t], dones[t] = next_obs, next_done
        with torch.no_grad():
            a, lp, _, v = agent.get(next_obs)
            values[t] = v
        actions[t], logprobs[t] = a, lp
        next_obs, rewards[t], next_done = env_step(next_obs, a)
    with torch.no_grad():
        nv = agent.critic(next_obs).flatten()
        advantages = torch.zeros_like(rewards)
        last = 0
        for t in reversed(range(num_steps)):
            nonterm = 1.0 - (next_done if t == num_steps - 1 else dones[t + 1])
            nextv = nv if t == num_steps - 1 else values[t + 1]
            delta = rewards[t] + gamma * nextv * nonterm - values[t]
            advantages[t] = last = delta + gamma * lam * nonterm * last
        returns = advantages + values
    b_obs, b_act = obs.view(-1, obs_dim), actions.view(-1, act_dim)
    b_lp, b_adv, b_ret = logprobs.view(-1), advantages.view(-1), returns.view(-1)
    b_adv -= b_adv.mean()
    b_adv /= b_adv.std() + 1e-8
    for _ in range(epochs):
        for ix in torch.randperm(num_steps * num_envs).split(mb):
            _, newlp, ent, newv = agent.get(b_obs[ix], b_act[ix])
            ratio = (newlp - b_lp[ix]).exp_()
            pg = torch.max(-b_adv[ix] * ratio, -b_adv[ix] * ratio.clamp(1 - clip, 1 + clip)).mean()
            vloss = (newv - b_ret[ix]).pow_(2).mean()
            loss = pg - 0.01 * ent.mean()
            loss += 0.5 * vloss
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            opt.step()
    print(update, round(loss.item(), 4), round(rewards.mean().item(), 4))
