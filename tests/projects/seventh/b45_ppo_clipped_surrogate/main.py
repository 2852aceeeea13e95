import torch
import torch.nn as nn
from torch.distributions import Categorical

################## toy environment ##################


class Bandit2D:
    def __init__(self, n_actions=4):
        self.n_actions = n_actions

    def reset(self, n):
        self.s = torch.randn(n, 2)
        return self.s

    def step(self, a):
        best = (self.s[:, 0] > 0).long() * 2 + (self.s[:, 1] > 0).long()
        r = (a == best).float()
        return self.reset(len(a)), r


################## PPO ##################


class ActorCritic(nn.Module):
    def __init__(self, state_dim, action_dim):
        super(ActorCritic, self).__init__()
        self.actor = nn.Sequential(nn.Linear(state_dim, 32), nn.Tanh(), nn.Linear(32, action_dim), nn.Softmax(dim=-1))
        self.critic = nn.Sequential(nn.Linear(state_dim, 32), nn.Tanh(), nn.Linear(32, 1))

    def act(self, state):
        dist = Categorical(self.actor(state))
        action = dist.sample()
        return action.detach(), dist.log_prob(action).detach()

    def evaluate(self, state, action):
        dist = Categorical(self.actor(state))
        return dist.log_prob(action), self.critic(state).squeeze(-1), dist.entropy()


class PPO:
    def __init__(self, state_dim, action_dim, lr=3e-3, K_epochs=4, eps_clip=0.2):
        self.eps_clip = eps_clip
        self.K_epochs = K_epochs
        self.policy = ActorCritic(state_dim, action_dim)
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=lr)
        self.MseLoss = nn.MSELoss()

    def surrogate(self, logprobs, old_logprobs, advantages):
        ratios = torch.exp(logprobs - old_logprobs)
        surr1 = ratios * advantages
        surr2 = ratios.clamp_(1 - self.eps_clip, 1 + self.eps_clip) * advantages  # BUG
        return -torch.min(surr1, surr2)

    def update(self, states, actions, old_logprobs, rewards):
        rewards = (rewards - rewards.mean()) / (rewards.std() + 1e-7)
        for _ in range(self.K_epochs):
            logprobs, values, entropy = self.policy.evaluate(states, actions)
            advantages = rewards - values.detach()
            loss = self.surrogate(logprobs, old_logprobs, advantages)
            loss = loss + 0.5 * self.MseLoss(values, rewards) - 0.01 * entropy
            self.optimizer.zero_grad()
            loss.mean().backward()
            self.optimizer.step()


def main():
    torch.manual_seed(0)
    env = Bandit2D()
    agent = PPO(2, env.n_actions)
    s = env.reset(128)
    for episode in range(6):
        a, lp = agent.policy.act(s)
        s2, r = env.step(a)
        agent.update(s, a, lp, r)
        s = s2
        print('Episode {} \t mean reward: {:.3f}'.format(episode, r.mean().item()))


if __name__ == '__main__':
    main()
