import torch
from torch import nn


class A2C:
    def __init__(self, net, lr=1e-3):
        self.net = net
        self.opt = torch.optim.RMSprop(net.parameters(), lr)

    def update(self, st):
        dist, v = self.net(st.obs[:-1])
        adv = st.returns[:-1] - v
        a = adv.detach().clone()
        a.sub_(a.mean()).div_(a.std() + 1e-5)
        loss = adv.pow(2).mean() - (a * dist.log_prob(st.actions)).mean() - 0.01 * dist.entropy().mean()
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
        self.opt.step()
        return loss
