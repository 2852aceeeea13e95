import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


def mlp(i, o, h=32):
    return nn.Sequential(nn.Linear(i, h), nn.ReLU(inplace=True), nn.Linear(h, h), nn.ReLU(inplace=True), nn.Linear(h, o))


class Actor(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.net = mlp(obs, 2 * act)

    def forward(self, s):
        mu, log_std = self.net(s).chunk(2, -1)
        log_std = log_std.clamp(-5, 2)
        std = log_std.exp()
        noise = torch.randn_like(std)
        u = (noise * std).add_(mu)
        a = torch.tanh(u)
        logp = (-0.5 * noise.pow(2) - log_std - 0.9189).sum(-1, keepdim=True)
        logp -= (1 - a.pow(2) + 1e-6).log_().sum(-1, keepdim=True)
        return a, logp


class SAC:
    def __init__(self, obs, act, lr=1e-3):
        self.actor = Actor(obs, act)
        self.q1, self.q2 = mlp(obs + act, 1), mlp(obs + act, 1)
        self.t1, self.t2 = copy.deepcopy(self.q1), copy.deepcopy(self.q2)
        self.q_params = list(self.q1.parameters()) + list(self.q2.parameters())
        self.log_alpha = torch.zeros(1, requires_grad=True)
        self.opt_q = torch.optim.Adam(self.q_params, lr)
        self.opt_pi = torch.optim.Adam(self.actor.parameters(), lr)
        self.opt_alpha = torch.optim.Adam([self.log_alpha], lr)
        self.target_entropy = -float(act)

    def q_freeze(self, flag):
        for p in self.q_params:
            p.requires_grad_(not flag)

    def update(self, s, a, r, s2, d, gamma=0.98, tau=0.01):
        # the policy graph is built here and used at the end
        pi, logp = self.actor(s)
        alpha = self.log_alpha.exp().detach()

        with torch.no_grad():
            a2, lp2 = self.actor(s2)
            sa2 = torch.cat([s2, a2], -1)
            y = torch.min(self.t1(sa2), self.t2(sa2)).sub_(alpha * lp2)
            y.mul_(gamma * (1 - d)).add_(r)
        sa = torch.cat([s, a], -1)
        loss_q = F.mse_loss(self.q1(sa), y) + F.mse_loss(self.q2(sa), y)
        self.opt_q.zero_grad()
        loss_q.backward()
        self.opt_q.step()

        self.q_freeze(True)
        sp = torch.cat([s, pi], -1)
        loss_pi = (alpha * logp - torch.min(self.q1(sp), self.q2(sp))).mean()
        self.opt_pi.zero_grad()
        loss_pi.backward()
        self.opt_pi.step()
        self.q_freeze(False)

        loss_a = -(self.log_alpha * (logp + self.target_entropy).detach()).mean()
        self.opt_alpha.zero_grad()
        loss_a.backward()
        self.opt_alpha.step()

        with torch.no_grad():
            for net, tgt in ((self.q1, self.t1), (self.q2, self.t2)):
                for p, tp in zip(net.parameters(), tgt.parameters()):
                    tp.data.mul_(1 - tau)
                    tp.data.add_(tau * p.data)
        return loss_q.item(), loss_pi.item(), alpha.item()
