import copy

import torch
import torch.nn.functional as F

from .nets import Actor, Critic


class SAC:
    def __init__(self, o, a, tau=0.01, lr=1e-3):
        self.actor, self.critic = Actor(o, a), Critic(o, a)
        self.target = copy.deepcopy(self.critic).requires_grad_(False)
        self.log_alpha = torch.zeros((), requires_grad=True)
        self.oa = torch.optim.Adam(self.actor.parameters(), lr)
        self.oc = torch.optim.Adam(self.critic.parameters(), lr)
        self.ol = torch.optim.Adam([self.log_alpha], lr)
        self.tau, self.ent = tau, -float(a)

    def update(self, s, a, r, s2):
        with torch.no_grad():
            a2, lp = self.actor(s2)
            q = torch.min(*self.target(s2, a2))
            q -= self.log_alpha.exp() * lp
            y = r + 0.99 * q
        lc = sum(F.mse_loss(q, y) for q in self.critic(s, a))
        self.oc.zero_grad()
        lc.backward()
        self.oc.step()
        an, lp = self.actor(s)
        la = (self.log_alpha.exp().detach() * lp - torch.min(*self.critic(s, an))).mean()
        self.oa.zero_grad()
        la.backward()
        self.oa.step()
        ll = -(self.log_alpha * (lp.detach() + self.ent)).mean()
        self.ol.zero_grad()
        ll.backward()
        self.ol.step()
        for t, p in zip(self.target.parameters(), self.critic.parameters()):
            t.data.lerp_(p.data, self.tau)
        return lc, la, ll
