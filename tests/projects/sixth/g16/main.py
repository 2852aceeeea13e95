import copy
import random
from collections import deque

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cpu")


class Actor(nn.Module):
    def __init__(self, state_dim, action_dim, max_action):
        super(Actor, self).__init__()
        self.l1 = nn.Linear(state_dim, 24)
        self.l2 = nn.Linear(24, 24)
        self.l3 = nn.Linear(24, action_dim)
        self.max_action = max_action

    def forward(self, state):
        a = F.relu(self.l1(state), inplace=True)
        a = F.relu(self.l2(a), inplace=True)
        return torch.tanh(self.l3(a)).mul(self.max_action)


class Critic(nn.Module):
    def __init__(self, state_dim, action_dim):
        super(Critic, self).__init__()
        self.l1, self.l2 = nn.Linear(state_dim + action_dim, 24), nn.Linear(24, 1)
        self.l4, self.l5 = nn.Linear(state_dim + action_dim, 24), nn.Linear(24, 1)

    def forward(self, state, action):
        sa = torch.cat([state, action], 1)
        return self.l2(self.l1(sa).relu_()), self.l5(self.l4(sa).relu_())

    def Q1(self, state, action):
        return self.l2(self.l1(torch.cat([state, action], 1)).relu_())


class TD3(object):
    def __init__(self, state_dim, action_dim, max_action):
        self.actor = Actor(state_dim, action_dim, max_action).to(device)
        self.actor_target = copy.deepcopy(self.actor)
        self.critic = Critic(state_dim, action_dim).to(device)
        self.critic_target = copy.deepcopy(self.critic)
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters(), lr=1e-3)
        self.max_action = max_action
        self.total_it = 0

    def train(self, memory, batch_size=32):
        self.total_it += 1
        rows = random.sample(memory, batch_size)
        state, action, reward, next_state = (torch.as_tensor(np.stack(c)) for c in zip(*rows))
        with torch.no_grad():
            noise = torch.randn_like(action).mul_(0.2).clamp_(-0.5, 0.5)
            next_action = self.actor_target(next_state)
            next_action += noise
            next_action.clamp_(-self.max_action, self.max_action)
            t1, t2 = self.critic_target(next_state, next_action)
            target_Q = torch.min(t1, t2, out=t1)
            target_Q = reward.unsqueeze(1) + 0.97 * target_Q
        q1, q2 = self.critic(state, action)
        critic_loss = F.mse_loss(q1, target_Q) + F.mse_loss(q2, target_Q)
        self.critic_optimizer.zero_grad()
        critic_loss.backward()
        self.critic_optimizer.step()
        if self.total_it % 2 == 0:
            actor_loss = -self.critic.Q1(state, self.actor(state)).mean()
            self.actor_optimizer.zero_grad()
            actor_loss.backward()
            self.actor_optimizer.step()
            for net, tgt in [(self.critic, self.critic_target), (self.actor, self.actor_target)]:
                for p, tp in zip(net.parameters(), tgt.parameters()):
                    tp.data.copy_(0.01 * p.data + 0.99 * tp.data)
        return critic_loss.item()


if __name__ == "__main__":
    torch.manual_seed(16)
    torch.set_num_threads(1)
    np.random.seed(16)
    random.seed(16)
    memory = deque(maxlen=120)
    s = np.random.randn(3).astype(np.float32)
    for _ in range(150):
        a = np.random.uniform(-1, 1, 1).astype(np.float32)
        s2 = (0.9 * s).astype(np.float32)
        s2[0] += 0.2 * a[0]
        memory.append((s, a, np.float32(-abs(s2[0])), s2))
        s = s2 if np.random.rand() > 0.1 else np.random.randn(3).astype(np.float32)
    agent = TD3(3, 1, 1.0)
    for it in range(20):
        l = agent.train(memory)
    print("critic", round(l, 5))
