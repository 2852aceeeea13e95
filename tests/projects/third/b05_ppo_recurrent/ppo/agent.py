import torch
import torch.nn as nn

from .policy import RecurrentActorCritic
from .storage import Rollout


class PPOAgent:
    def __init__(self, obs_dim, n_actions, lr=3e-3, epochs=3, clip=0.2, ent_coef=0.01):
        self.net = RecurrentActorCritic(obs_dim, n_actions)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=lr)
        self.epochs, self.clip, self.ent_coef = epochs, clip, ent_coef

    def collect(self, env, T):
        roll = Rollout()
        obs, done = env.reset(), torch.zeros(env.n)
        h = self.net.initial_state(env.n)
        for _ in range(T):
            dist, value, h = self.net.step(obs, h, done)
            action = dist.sample()
            next_obs, reward, next_done = env.step(action)
            roll.add(obs=obs, actions=action, logp=dist.log_prob(action), values=value, rewards=reward, dones=done)
            obs, done = next_obs, next_done
        with torch.no_grad():
            _, last_value, _ = self.net.step(obs, h, done)
        return roll.finish(last_value)

    def update(self, batch):
        h0 = self.net.initial_state(batch["obs"].size(1))
        for _ in range(self.epochs):
            logp, values, ent = self.net.evaluate(batch["obs"], batch["actions"], batch["dones"], h0)
            ratio = torch.exp(logp - batch["logp"])
            s1 = ratio * batch["adv"]
            s2 = ratio.clamp(1 - self.clip, 1 + self.clip) * batch["adv"]
            loss = -torch.min(s1, s2).mean() + 0.5 * (values - batch["returns"]).pow(2).mean()
            loss -= self.ent_coef * ent.mean()
            self.opt.zero_grad()
            loss.backward(retain_graph=True)
            nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
            self.opt.step()  # BUG
        return loss.item()
