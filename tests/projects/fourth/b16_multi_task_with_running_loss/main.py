import torch

from mtl.balance import BALANCERS
from mtl.heads import MultiTaskNet
from mtl.tasks import TaskSuite
from mtl.trainer import MultiTaskTrainer

OPTIONS = {
    "balancer": "running",
    "tasks": {"sine": 1.0, "quad": 0.5, "sign": 1.0},
    "steps": 8,
    "lr": 5e-3,
}


def main():
    torch.manual_seed(2)
    torch.set_num_threads(1)
    suite = TaskSuite(OPTIONS["tasks"], dim=5)
    net = MultiTaskNet(5, 16, suite.names)
    balancer = BALANCERS[OPTIONS["balancer"]](suite.names)
    trainer = MultiTaskTrainer(net, balancer, lr=OPTIONS["lr"])
    for i in range(OPTIONS["steps"]):
        losses = trainer.train_step(suite.batch(16))
        if i % 3 == 0:
            print(i, {k: round(v, 4) for k, v in losses.items()})


if __name__ == "__main__":
    main()
