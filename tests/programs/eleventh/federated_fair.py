"""Federated rounds with a fairness objective (AFL): clients share one worker network, losses are reweighted jointly."""
from typing import Dict, Iterable, List, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

Data = Tuple[Tensor, Tensor]


class Client:
    def __init__(self, name: str, data: Data, worker: nn.Module):
        self.name, self.data, self.worker = name, data, worker
        self.personal = {k: v.detach().clone() for k, v in worker.head.state_dict().items()}

    def enter(self) -> None:
        """Puts the head of this client on the shared worker."""
        with torch.no_grad():
            for k, v in self.worker.head.named_parameters():
                v.copy_(self.personal[k])  # BUG

    def objective(self) -> Tensor:
        self.enter()
        x, y = self.data
        return F.cross_entropy(self.worker(x), y)

    def personalise(self, lr: float = 0.1) -> None:
        x, y = self.data
        self.enter()
        h = self.worker.body(x).detach()
        loss = F.cross_entropy(self.worker.head(h), y)
        grads = torch.autograd.grad(loss, list(self.worker.head.parameters()))
        for (k, _), g in zip(self.worker.head.named_parameters(), grads):
            self.personal[k] = self.personal[k] - lr * g


class Net(nn.Module):
    def __init__(self, n_in: int = 10, classes: int = 3, width: int = 20):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_in, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.head = nn.Linear(width, classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x))


class Minimax:
    """Mixture weights over the clients by exponentiated gradient."""

    def __init__(self, names: Iterable[str], rate: float = 0.5):
        self.weights: Dict[str, float] = {n: 1.0 for n in names}
        self.rate = rate

    def update(self, losses: Dict[str, float]) -> None:
        for n, l in losses.items():
            self.weights[n] *= 2.718281828 ** (self.rate * l)
        total = sum(self.weights.values())
        self.weights = {n: w / total for n, w in self.weights.items()}


class Server:
    def __init__(self, net: Net, clients: List[Client], lr: float = 0.05):
        self.net, self.clients = net, clients
        self.mix = Minimax(c.name for c in clients)
        self.opt = torch.optim.SGD(net.body.parameters(), lr=lr, momentum=0.9)

    def round(self) -> Dict[str, float]:
        losses = {c.name: c.objective() for c in self.clients}
        joint = sum(self.mix.weights[n] * l for n, l in losses.items())
        self.opt.zero_grad()
        joint.backward()
        self.opt.step()
        seen = {n: l.item() for n, l in losses.items()}
        self.mix.update(seen)
        for c in self.clients:
            c.personalise()
        return seen


def skewed(n: int, shift: float) -> Data:
    x = torch.randn(n, 10) + shift
    y = (x[:, :3] + shift * torch.arange(3)).argmax(1)
    return x, y


# --- driver ---
torch.manual_seed(0)
net = Net()
server = Server(net, [Client(f"site{i}", skewed(16, 0.5 * i), net) for i in range(3)])
for _ in range(2):
    print(server.round())
