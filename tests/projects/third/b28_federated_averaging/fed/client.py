import copy
import torch
import torch.nn.functional as F


class Client:
    def __init__(self, cid, data, model, server, lr=0.05, mu=0.01, sync_every=3):
        self.cid, self.data = cid, data
        self.model = copy.deepcopy(model)
        self.server = server
        self.mu, self.sync_every = mu, sync_every
        self.opt = torch.optim.SGD(self.model.parameters(), lr=lr)
        self.t = 0
        self.anchor = [p.detach().clone() for p in self.model.parameters()]

    def pull(self):
        self.model.load_state_dict(self.server.state())  # BUG
        for a, p in zip(self.anchor, self.model.parameters()):
            a.copy_(p.detach())

    def push(self):
        self.server.receive(self.cid, self.model.state_dict(), len(self.data[0]))

    def maybe_sync(self):
        if self.t % self.sync_every == 0:
            self.push()
            self.pull()

    def proximal(self):
        reg = 0.
        for p, a in zip(self.model.parameters(), self.anchor):
            reg = reg + (p - a).pow(2).sum()
        return 0.5 * self.mu * reg

    def step(self):
        x, y = self.data
        idx = torch.randperm(len(x))[:8]
        loss = F.cross_entropy(self.model(x[idx]), y[idx]) + self.proximal()
        self.opt.zero_grad()
        self.maybe_sync()
        loss.backward()
        self.opt.step()
        self.t += 1
        return loss.item()
