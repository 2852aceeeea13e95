import copy

import torch
import torch.nn.functional as F


class Agent:
    def __init__(self, net, buf, gamma=0.99, sync=2):
        self.net, self.buf, self.gamma, self.sync, self.n = net, buf, gamma, sync, 0
        self.target = copy.deepcopy(net)
        self.opt = torch.optim.Adam(net.parameters(), 1e-3)

    def learn(self, k):
        idx, w, (s, a, r, s2, d) = self.buf.sample(k)
        q = self.net(s).gather(1, a[:, None]).squeeze(1)
        with torch.no_grad():
            self.target.reset_noise()
            best = self.net(s2).argmax(1, keepdim=True)
            y = self.target(s2).gather(1, best).squeeze(1)
            y.mul_(self.gamma * (1 - d)).add_(r)
        td = y - q
        loss = (w * F.smooth_l1_loss(q, y, reduction="none")).mean()
        self.buf.update(idx, td.detach())
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.net.reset_noise()
        self.n += 1
        if self.n % self.sync == 0:
            self.target.load_state_dict(self.net.state_dict())
        return loss.item()
