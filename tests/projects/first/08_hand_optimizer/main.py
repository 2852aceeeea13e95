import torch

from multitask.engine import Engine
from multitask.model import SharedTrunk
from multitask.optim import Lookahead, PlainAdam
from multitask.tasks import TASKS


def batches(n):
    for _ in range(n):
        yield {"x": torch.randn(8, 6), "label": torch.randint(0, 4, (8,)), "value": torch.randn(8, 2)}


if __name__ == "__main__":
    torch.manual_seed(0)
    net = SharedTrunk(6, 16, {k: n for k, (n, _) in TASKS.items()})
    opt = Lookahead(PlainAdam(net.parameters(), lr=1e-2))
    Engine(net, opt).run(batches(4))
