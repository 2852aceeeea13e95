import torch

from moe.balance import AuxLosses
from moe.layer import MoELayer
from moe.model import MoEClassifier
from moe.routing import Router
from moe.train import train

CONF = {
    "dim": 8,
    "classes": 3,
    "experts": 4,
    "router": {"k": 2, "policies": ["capacity", "renorm"], "capacity": 1.25},
    "aux": {"balance": 0.01, "zloss": 0.001},
    "steps": 8,
}


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    router = Router.from_config(CONF["dim"], CONF["experts"], CONF["router"])
    model = MoEClassifier(CONF["dim"], CONF["classes"], MoELayer(CONF["dim"], CONF["experts"], router))
    train(model, AuxLosses(CONF["aux"]), CONF)


if __name__ == "__main__":
    main()
