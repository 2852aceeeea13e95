import copy
from typing import Dict, List

import torch
import torch.nn as nn
import torch.nn.functional as F

State = Dict[str, torch.Tensor]


def zeros_like_state(state: State) -> State:
    return {k: torch.zeros_like(v, dtype=torch.float32) for k, v in state.items()}


class ClinicNet(nn.Module):
    def __init__(self, d, hidden=10):
        super().__init__()
        self.fc1, self.bn, self.fc2 = nn.Linear(d, hidden), nn.BatchNorm1d(hidden), nn.Linear(hidden, 1)

    def forward(self, x):
        h = self.bn(self.fc1(x))
        return self.fc2(F.relu(h, inplace=True)).squeeze(-1)


class Clinic:
    def __init__(self, x, y, mu=0.01, dp_clip=1.0, dp_noise=0.0):
        self.x, self.y = x, y
        self.mu, self.clip, self.noise = mu, dp_clip, dp_noise
        self.control = None

    def __len__(self):
        return len(self.x)

    def _prox(self, model, anchor):
        total = torch.zeros(())
        for p, a in zip(model.parameters(), anchor):
            total += (p - a).pow(2).sum()
        return total

    def train(self, global_model, epochs, lr) -> State:
        model = copy.deepcopy(global_model).train()
        anchor = [p.detach().clone() for p in global_model.parameters()]
        opt = torch.optim.SGD(model.parameters(), lr=lr)
        for _ in range(epochs):
            loss = F.binary_cross_entropy_with_logits(model(self.x), self.y)
            loss = loss + 0.5 * self.mu * self._prox(model, anchor)
            opt.zero_grad()
            loss.backward()
            for p in model.parameters():
                p.grad.mul_((self.clip / (p.grad.norm() + 1e-6)).clamp_(max=1.0))
                p.grad.add_(torch.randn_like(p.grad), alpha=self.noise)
            opt.step()
        return model.state_dict()


class Server:
    def __init__(self, model, momentum=0.9):
        self.model, self.momentum = model, momentum
        self.velocity = zeros_like_state(model.state_dict())

    @torch.no_grad()
    def aggregate(self, states: List[State], sizes: List[int]):
        mean = zeros_like_state(states[0])
        total = sum(sizes)
        for state, n in zip(states, sizes):
            for k, v in state.items():
                mean[k].add_(v.float(), alpha=n / total)
        current = self.model.state_dict()
        for k, v in current.items():
            delta = mean[k].sub_(v.float())
            self.velocity[k].mul_(self.momentum).add_(delta)
            if v.is_floating_point():
                v.add_(self.velocity[k])
            else:
                v.copy_(v + delta.round_().long())

    def round(self, clinics, epochs=1, lr=0.1):
        states = [c.train(self.model, epochs, lr) for c in clinics]
        self.aggregate(states, [len(c) for c in clinics])


def calibrate(model, x, y):
    """One temperature, fitted on the server's validation set."""
    with torch.no_grad():
        logits = model.eval()(x)
    log_t = torch.zeros((), requires_grad=True)
    loss = F.binary_cross_entropy_with_logits(logits / log_t.exp(), y)
    loss.backward()
    with torch.no_grad():
        log_t -= 0.1 * log_t.grad
    return log_t.exp().item()


# --- driver ---
torch.manual_seed(0)
clinics = [Clinic(torch.randn(n, 5), torch.randint(0, 2, (n,)).float(), dp_noise=1e-3) for n in (6, 9, 12)]
server = Server(ClinicNet(5))
for _ in range(2):
    server.round(clinics)
calibrate(server.model, clinics[0].x, clinics[0].y)
