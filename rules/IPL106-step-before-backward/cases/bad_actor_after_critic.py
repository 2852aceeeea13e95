"""An actor's loss holds the critic's weights, and the critic steps first."""

import torch
from torch import nn


class Agent:
    def __init__(self, state, action):
        self.actor = nn.Sequential(nn.Linear(state, 8), nn.ReLU(), nn.Linear(8, action))
        self.critic = nn.Sequential(nn.Linear(state + action, 8), nn.ReLU(), nn.Linear(8, 1))
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters())
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters())

    def update(self, state, action, returns):
        value = self.critic(torch.cat([state, action], dim=-1))
        critic_loss = (value - returns).square().mean()
        actor_loss = -self.critic(torch.cat([state, self.actor(state)], dim=-1)).mean()

        self.critic_optimizer.zero_grad()
        critic_loss.backward()
        self.critic_optimizer.step()  # expect: IPL106

        self.actor_optimizer.zero_grad()
        actor_loss.backward()
        self.actor_optimizer.step()


if __name__ == "__main__":
    Agent(3, 2).update(torch.randn(4, 3), torch.randn(4, 2), torch.randn(4, 1))
