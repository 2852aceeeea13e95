import torch
import torch.nn as nn
import torch.nn.functional as F

from storage import RolloutStorage


class Policy(nn.Module):
    def __init__(self, obs_dim, n_act):
        super(Policy, self).__init__()
        self.base = nn.Sequential(nn.Linear(obs_dim, 32), nn.ReLU(inplace=True))
        self.actor = nn.Linear(32, n_act)
        self.critic = nn.Linear(32, 1)

    def act(self, obs):
        f = self.base(obs)
        dist = torch.distributions.Categorical(logits=self.actor(f))
        return self.critic(f), dist.sample().unsqueeze(-1)

    def evaluate(self, obs, action):
        f = self.base(obs)
        dist = torch.distributions.Categorical(logits=self.actor(f))
        return self.critic(f), dist.log_prob(action.squeeze(-1)).unsqueeze(-1), dist.entropy().mean()


class VecEnv:
    def __init__(self, n, d):
        self.state = torch.randn(n, d)

    def step(self, a):
        self.state.mul_(0.95).add_(torch.randn_like(self.state), alpha=0.1)
        self.state[:, 0] += (a.squeeze(1).float() - 0.5) * 0.4
        reward = -self.state[:, :1].abs()
        done = torch.rand(self.state.size(0)) < 0.05
        self.state[done] = torch.randn(int(done.sum()), self.state.size(1))
        return self.state, reward, 1 - done.float().unsqueeze(1)


def update(policy, opt, st):
    T, N = st.num_steps, st.rewards.size(1)
    values, logp, ent = policy.evaluate(st.obs[:-1].view(T * N, -1), st.actions.view(-1, 1))
    adv = st.returns[:-1] - values.view(T, N, 1)
    value_loss = adv.pow(2).mean()
    action_loss = -(adv.detach() * logp.view(T, N, 1)).mean()
    loss = value_loss * 0.5 + action_loss
    loss -= 0.01 * ent
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
    opt.step()
    return loss.item()


torch.manual_seed(13)
torch.set_num_threads(1)
policy, envs = Policy(3, 2), VecEnv(8, 3)
opt = torch.optim.RMSprop(policy.parameters(), 7e-3, eps=1e-5, alpha=0.99)
rollouts = RolloutStorage(5, 8, 3)
rollouts.obs[0].copy_(envs.state)
for j in range(12):
    for s in range(5):
        with torch.no_grad():
            v, a = policy.act(rollouts.obs[s])
        obs, r, m = envs.step(a)
        rollouts.insert(obs, a, v, r, m)
    with torch.no_grad():
        next_value = policy.act(rollouts.obs[-1])[0]
    rollouts.compute_returns(next_value, 0.95, 0.9)
    l = update(policy, opt, rollouts)
    rollouts.after_update()
    if j % 4 == 0:
        print(j, round(l, 4))
