import torch

from gnn.datasets import ring_graphs
from gnn.layers import build_layer
from gnn.model import GraphNet
from gnn.train import Fitter

MODEL = {
    "in_dim": 5,
    "hidden": 12,
    "out_dim": 3,
    "layers": [{"name": "sum"}, {"name": "gated"}, {"name": "gated"}],
}


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net = GraphNet(
        MODEL["in_dim"], MODEL["out_dim"], MODEL["hidden"],
        [build_layer(dim=MODEL["hidden"], **c) for c in MODEL["layers"]])
    fitter = Fitter(net, lr=5e-3)
    for epoch in range(3):
        print(epoch, round(fitter.epoch(ring_graphs(10, MODEL["in_dim"], MODEL["out_dim"])), 4))


if __name__ == "__main__":
    main()
