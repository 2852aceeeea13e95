"""Iterative magnitude pruning with rewinding; gradients of dead weights are zeroed by tensor hooks."""
import torch
from torch import nn, Tensor


class Ticket:
    def __init__(self, model: nn.Module):
        self.model = model
        self.rewind_point = {k: v.clone() for k, v in model.state_dict().items()}
        self.mask: dict[str, Tensor] = {}
        for name, p in model.named_parameters():
            if p.dim() >= 2:
                self.mask[name] = torch.ones_like(p, dtype=torch.bool)
                p.register_hook(self._grad_hook(name))

    def _grad_hook(self, name: str):
        def hook(g: Tensor) -> Tensor:
            return g.clone().masked_fill_(~self.mask[name], 0.0)
        return hook

    @torch.no_grad()
    def enforce(self) -> None:
        for name, p in self.model.named_parameters():
            if name in self.mask:
                p.masked_fill_(~self.mask[name], 0.0)

    @torch.no_grad()
    def shrink(self, fraction: float) -> None:
        params = dict(self.model.named_parameters())
        alive = torch.cat([params[n].abs()[m] for n, m in self.mask.items()])
        thr = alive.quantile(fraction)
        for n, m in self.mask.items():
            m.logical_and_(params[n].abs() > thr)

    def rewind(self) -> None:
        self.model.load_state_dict(self.rewind_point)
        self.enforce()

    @property
    def density(self) -> float:
        return sum(m.sum().item() for m in self.mask.values()) / sum(m.numel() for m in self.mask.values())


def lenet(classes: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(inplace=True), nn.MaxPool2d(2),
        nn.Conv2d(6, 12, 3), nn.ReLU(inplace=True), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(48, 24), nn.ReLU(inplace=True), nn.Linear(24, classes),
    )


def train_round(ticket: Ticket, data, lr: float) -> float:
    opt = torch.optim.SGD(ticket.model.parameters(), lr=lr, momentum=0.9)
    crit, last = nn.CrossEntropyLoss(), float("nan")
    for x, y in data:
        loss = crit(ticket.model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        ticket.enforce()
        last = loss.item()
    return last


def search(model: nn.Module, data, rounds: int, fraction: float, lr: float = 0.05):
    ticket = Ticket(model)
    for r in range(rounds):
        loss = train_round(ticket, data, lr)
        yield r, ticket.density, loss
        ticket.shrink(fraction)
        ticket.rewind()


# --- driver ---
torch.manual_seed(0)
data = [(torch.rand(8, 1, 12, 12), torch.randint(0, 4, (8,))) for _ in range(3)]
for row in search(lenet(4), data, rounds=3, fraction=0.3):
    print("round %d density %.2f loss %.3f" % row)
