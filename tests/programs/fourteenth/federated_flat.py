"""Federated averaging over clients whose parameters live in one flat vector."""
import torch
from torch import nn


class FlatParameters:
    """Rebinds the parameters of a module to consecutive views of one buffer."""

    def __init__(self, module):
        params = list(module.parameters())
        self.buffer = torch.cat([p.detach().reshape(-1) for p in params])
        self.grad = torch.zeros_like(self.buffer)
        offset = 0
        for p in params:
            n = p.numel()
            p.data = self.buffer[offset: offset + n].view_as(p)
            p.grad = self.grad[offset: offset + n].view_as(p)
            offset += n

    @torch.no_grad()
    def load(self, vector):
        self.buffer.copy_(vector)

    @torch.no_grad()
    def descend(self, lr, anchor=None, mu=0.0):
        if anchor is not None:
            self.grad.add_(self.buffer - anchor, alpha=mu)
        self.buffer.sub_(self.grad, alpha=lr)
        self.grad.zero_()

    @torch.no_grad()
    def clip(self, limit):
        norm = self.grad.norm()
        self.grad.mul_((limit / (norm + 1e-6)).clamp(max=1.0))
        return norm.item()


class Client:
    def __init__(self, make_model, x, y, lr, mu):
        self.model = make_model()
        self.flat = FlatParameters(self.model)
        self.x, self.y, self.lr, self.mu = x, y, lr, mu

    def __len__(self):
        return self.x.size(0)

    def local_round(self, vector, epochs, batch):
        self.flat.load(vector)
        for _ in range(epochs):
            for idx in torch.randperm(len(self)).split(batch):
                loss = nn.functional.cross_entropy(self.model(self.x[idx]), self.y[idx])
                loss.backward()
                self.flat.clip(1.0)
                self.flat.descend(self.lr, anchor=vector, mu=self.mu)
        return self.flat.buffer - vector, loss.item()


class Server:
    """FedAvgM: the mean client delta is smoothed with momentum."""

    def __init__(self, make_model, clients, beta=0.6):
        self.model = make_model()
        self.flat = FlatParameters(self.model)
        self.velocity = torch.zeros_like(self.flat.buffer)
        self.clients, self.beta = clients, beta

    def round(self, fraction, **local):
        count = max(1, int(fraction * len(self.clients)))
        chosen = [self.clients[i] for i in torch.randperm(len(self.clients))[:count].tolist()]
        total = sum(len(c) for c in chosen)
        mean_delta = torch.zeros_like(self.velocity)
        losses = []
        for client in chosen:
            delta, loss = client.local_round(self.flat.buffer.clone(), **local)
            mean_delta.add_(delta, alpha=len(client) / total)
            losses.append(loss)
        self.velocity.mul_(self.beta).add_(mean_delta)
        self.flat.load(self.flat.buffer + self.velocity)
        return sum(losses) / len(losses)

    @torch.no_grad()
    def accuracy(self):
        hits = [(self.model(c.x).argmax(1) == c.y).float().mean() for c in self.clients]
        return torch.stack(hits).mean().item()


def make_model():
    return nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))


def skewed_clients(count, size):
    rule = torch.randn(6, 3)
    for _ in range(count):
        x = torch.randn(size, 6) + 0.7 * torch.randn(6)
        yield Client(make_model, x, (x @ rule).argmax(1), lr=0.1, mu=0.05)


# --- driver ---
torch.manual_seed(7)
server = Server(make_model, list(skewed_clients(4, 20)))
for _ in range(3):
    print(server.round(0.75, epochs=1, batch=10), server.accuracy())
