"""Asynchronous federated averaging, simulated in one process with one shared module."""
import copy
from collections import deque

import torch
import torch.nn as nn
import torch.nn.functional as F


def build_model(d_in=6, width=12, classes=3):
    return nn.Sequential(nn.Linear(d_in, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, classes))


class Server:
    def __init__(self, model, staleness=0.6):
        self.model = model
        self.staleness = staleness
        self.inbox = deque()
        self.version = 0

    def submit(self, state, born):
        self.inbox.append((state, born))

    def sync(self):
        while self.inbox:
            state, born = self.inbox.popleft()
            mix = self.staleness ** (self.version - born + 1)
            for name, p in self.model.named_parameters():
                p.data.lerp_(state[name], mix)  # BUG silent
            self.version += 1


class Client:
    def __init__(self, cid, data, mu=0.1):
        self.cid, self.data, self.mu = cid, data, mu

    def local_loss(self, model, anchor):
        x, y = self.data
        ce = F.cross_entropy(model(x), y)
        prox = sum((p - a).pow(2).sum() for p, a in zip(model.parameters(), anchor))
        return ce + 0.5 * self.mu * prox

    def private_update(self, model, lr):
        local = copy.deepcopy(model)
        anchor = [p.detach().clone() for p in model.parameters()]
        loss = self.local_loss(local, anchor)
        grads = torch.autograd.grad(loss, list(local.parameters()))
        with torch.no_grad():
            for p, g in zip(local.parameters(), grads):
                p.sub_(g, alpha=lr)
        return {k: v.detach().clone() for k, v in local.named_parameters()}


class PublicDistiller:
    """The server also trains on a public set while clients report."""

    def __init__(self, server, lr=0.05):
        self.server = server
        self.opt = torch.optim.SGD(server.model.parameters(), lr=lr)

    def step(self, x, teacher_logits):
        self.opt.zero_grad()
        student = self.server.model(x)
        loss = F.kl_div(student.log_softmax(-1), teacher_logits.softmax(-1), reduction="batchmean")
        self.server.sync()
        loss.backward()
        self.opt.step()
        return loss.item()


def run_round(server, clients, distiller, public_x, lr):
    logits = []
    for client in clients:
        state = client.private_update(server.model, lr)
        server.submit(state, server.version)
        local = torch.func.functional_call(server.model, state, (public_x,))
        logits.append(local.detach())
    return distiller.step(public_x, torch.stack(logits).mean(0))


# --- driver ---
torch.manual_seed(0)
server = Server(build_model())
clients = [Client(i, (torch.randn(8, 6) * 2 + i, torch.randint(0, 3, (8,)))) for i in range(3)]
run_round(server, clients, PublicDistiller(server), torch.randn(10, 6) * 2, lr=1.0)
