import copy
import torch
import torch.nn as nn
import torch.nn.functional as F
import numpy as np

# TD3 (Fujimoto et al.) - trimmed for the pendulum-like toy env


class ReplayBuffer(object):
    def __init__(self, state_dim, action_dim, max_size=500):
        self.max_size, self.ptr, self.size = max_size, 0, 0
        self.state = np.zeros((max_size, state_dim))
        self.action = np.zeros((max_size, action_dim))
        self.next_state = np.zeros((max_size, state_dim))
        self.reward = np.zeros((max_size, 1))
        self.not_done = np.zeros((max_size, 1))

    def add(self, s, a, s2, r, d):
        self.state[self.ptr] = s
        self.action[self.ptr] = a
        self.next_state[self.ptr] = s2
        self.reward[self.ptr] = r
        self.not_done[self.ptr] = 1. - d
        self.ptr = (self.ptr + 1) % self.max_size
        self.size = min(self.size + 1, self.max_size)

    def sample(self, n):
        ind = np.random.randint(0, self.size, size=n)
        return tuple(torch.FloatTensor(x[ind]) for x in
                     (self.state, self.action, self.next_state, self.reward, self.not_done))


class Actor(nn.Module):
    def __init__(self, state_dim, action_dim, max_action):
        super(Actor, self).__init__()
        self.l1 = nn.Linear(state_dim, 32)
        self.l2 = nn.Linear(32, action_dim)
        self.max_action = max_action

    def forward(self, state):
        a = F.relu(self.l1(state), inplace=True)
        return self.max_action * torch.tanh(self.l2(a))


class Critic(nn.Module):
    def __init__(self, state_dim, action_dim):
        super(Critic, self).__init__()
        self.l1 = nn.Linear(state_dim + action_dim, 32)
        self.l2 = nn.Linear(32, 1)
        self.l4 = nn.Linear(state_dim + action_dim, 32)
        self.l5 = nn.Linear(32, 1)

    def forward(self, state, action):
        sa = torch.cat([state, action], 1)
        return self.l2(F.relu(self.l1(sa))), self.l5(F.relu(self.l4(sa)))

    def Q1(self, state, action):
        sa = torch.cat([state, action], 1)
        return self.l2(F.relu(self.l1(sa)))


class TD3(object):
    def __init__(self, state_dim, action_dim, max_action, discount=0.99, tau=0.005, policy_noise=0.2,
                 noise_clip=0.5, policy_freq=2):
        self.actor = Actor(state_dim, action_dim, max_action)
        self.actor_target = copy.deepcopy(self.actor)
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=3e-4)
        self.critic = Critic(state_dim, action_dim)
        self.critic_target = copy.deepcopy(self.critic)
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters(), lr=3e-4)
        self.max_action, self.discount, self.tau = max_action, discount, tau
        self.policy_noise, self.noise_clip, self.policy_freq = policy_noise, noise_clip, policy_freq
        self.total_it = 0

    def soft_update(self, net, target):
        for p, tp in zip(net.parameters(), target.parameters()):
            tp.data.mul_(1 - self.tau).add_(self.tau * p.data)

    def critic_loss(self, batch):
        state, action, next_state, reward, not_done = batch
        with torch.no_grad():
            noise = torch.randn_like(action).mul_(self.policy_noise).clamp_(-self.noise_clip, self.noise_clip)
            next_action = self.actor_target(next_state).add_(noise).clamp_(-self.max_action, self.max_action)
            q1, q2 = self.critic_target(next_state, next_action)
            target_Q = reward + not_done * self.discount * torch.min(q1, q2)
        q1, q2 = self.critic(state, action)
        return F.mse_loss(q1, target_Q) + F.mse_loss(q2, target_Q)

    def train(self, replay_buffer, batch_size=32):
        self.total_it += 1
        batch = replay_buffer.sample(batch_size)
        losses = {'critic': self.critic_loss(batch)}
        if self.total_it % self.policy_freq == 0:
            losses['actor'] = -self.critic.Q1(batch[0], self.actor(batch[0])).mean()

        self.critic_optimizer.zero_grad()
        losses['critic'].backward()
        self.critic_optimizer.step()  # BUG

        if 'actor' in losses:
            self.actor_optimizer.zero_grad()
            losses['actor'].backward()
            self.actor_optimizer.step()
            self.soft_update(self.critic, self.critic_target)
            self.soft_update(self.actor, self.actor_target)
        return {k: float(v) for k, v in losses.items()}


if __name__ == "__main__":
    torch.manual_seed(0)
    np.random.seed(0)
    torch.set_num_threads(1)
    policy = TD3(3, 1, 2.0)
    buf = ReplayBuffer(3, 1)
    s = np.random.randn(3)
    for t in range(60):
        a = np.random.uniform(-2, 2, 1)
        s2 = 0.9 * s + 0.1 * a
        buf.add(s, a, s2, -float((s2 ** 2).sum()), 0.)
        s = s2
    for t in range(6):
        print(t, policy.train(buf))
