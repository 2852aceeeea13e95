"""Sharpness aware minimisation and friends."""
from typing import Callable, Iterable, Optional
import torch
from torch import Tensor, nn
from torch.optim import Optimizer


class SAM(Optimizer):
    """Wraps a base optimizer; see Foret et al. 2021."""

    def __init__(self, params, base_cls, rho: float = 0.05, adaptive: bool = False, **kw):
        if rho < 0:
            raise ValueError(f'invalid rho {rho}')
        super().__init__(params, dict(rho=rho, adaptive=adaptive, **kw))
        self.base = base_cls(self.param_groups, **kw)
        self.param_groups = self.base.param_groups

    @torch.no_grad()
    def first_step(self) -> None:
        norm = self._grad_norm()
        for group in self.param_groups:
            scale = group['rho'] / (norm + 1e-12)
            for p in group['params']:
                if p.grad is None:
                    continue
                e = (p.pow(2) if group['adaptive'] else 1.0) * p.grad * scale
                p.add_(e)  # BUG
                self.state[p]['e'] = e

    @torch.no_grad()
    def second_step(self) -> None:
        for group in self.param_groups:
            for p in group['params']:
                if 'e' in self.state[p]:
                    p.sub_(self.state[p].pop('e'))
        self.base.step()

    def _grad_norm(self) -> Tensor:
        norms = [p.grad.norm() for g in self.param_groups for p in g['params'] if p.grad is not None]
        return torch.stack(norms).norm()

    def step(self, closure: Optional[Callable] = None):
        raise NotImplementedError('use first_step / second_step')


def no_decay_groups(model: nn.Module, wd: float) -> Iterable[dict]:
    decay, rest = [], []
    for p in model.parameters():
        (decay if p.ndim > 1 else rest).append(p)
    return [dict(params=decay, weight_decay=wd), dict(params=rest, weight_decay=0.0)]


def fit(model: nn.Module, opt: SAM, batches, criterion) -> list:
    losses = []
    for x, y in batches:
        loss = criterion(model(x), y)
        loss.backward(retain_graph=True)
        opt.first_step()
        opt.zero_grad()
        loss.backward()
        opt.second_step()
        opt.zero_grad()
        losses.append(float(loss))
    return losses


# --- driver ---
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
sam = SAM(no_decay_groups(m, 1e-4), torch.optim.SGD, rho=0.05, lr=0.1)
fit(m, sam, [(torch.randn(6, 4), torch.randint(0, 3, (6,)))], nn.CrossEntropyLoss())
