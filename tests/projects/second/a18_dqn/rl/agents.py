import copy

import torch


class Agent:
    gamma = 0.9

    def __init__(self, net, lr=1e-3):
        self.net = net
        self.target = copy.deepcopy(net)
        self.opt = torch.optim.Adam(net.parameters(), lr)

    def td_error(self, s, a, r):
        raise NotImplementedError

    def learn(self, batch):
        td = self.td_error(*batch)
        loss = self.reduce(td)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return td.detach().abs()

    def reduce(self, td):
        return td.pow(2).mean()


class WeightedMixin:
    """Prioritised replay: weights each squared error by its (normalised) size."""

    def reduce(self, td):
        sq = td.pow(2)
        w = td.detach().abs_()  # BUG
        w = w / w.max()
        return (w * sq).mean()


class DoubleDQN(WeightedMixin, Agent):
    def td_error(self, s, a, r):
        q = self.net(s).gather(1, a[:, None]).squeeze(1)
        with torch.no_grad():
            best = self.net(s).argmax(1, keepdim=True)
            nq = self.target(s).gather(1, best).squeeze(1)
        return q - (r + self.gamma * nq)
