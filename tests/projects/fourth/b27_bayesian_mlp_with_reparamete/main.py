import torch

from bnn.build import build
from bnn.data import gap_data
from bnn.inference import Fit

SPEC = {
    "net": {"type": "BayesMLP", "dims": [1, 16, 16, 1], "layer": {"type": "Reparam", "prior": 1.0}},
    "objective": {"type": "ELBO", "samples": 3, "beta": 0.01},
}


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net = build(SPEC["net"])
    objective = build(SPEC["objective"])
    fit = Fit(net, objective, lr=0.01)
    x, y = gap_data(40)
    for i in range(12):
        v = fit.step(x, y)
        if i % 4 == 0:
            print(i, round(v, 4))
    mean, std = fit.predict(torch.linspace(-2, 2, 5).unsqueeze(1), n=8)
    print(mean.shape, std.min().item() >= 0)


if __name__ == "__main__":
    main()
