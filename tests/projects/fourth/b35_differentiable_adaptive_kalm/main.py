import torch

from kalman.belief import Belief
from kalman.filters import FILTERS
from kalman.learn import SystemID
from kalman.models import ConstantVelocity
from kalman.simulate import tracks

YAML = {"filter": "adaptive", "horizon": 8, "epochs": 4, "batch": 5, "lr": 0.02}


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = ConstantVelocity(dt=0.5)
    filt = FILTERS[YAML["filter"]](model)
    ident = SystemID(filt, lr=YAML["lr"])
    for e in range(YAML["epochs"]):
        nll = ident.epoch(tracks(4, YAML["batch"], YAML["horizon"]), Belief.prior)
        print(e, round(nll, 4), ident.describe())


if __name__ == "__main__":
    main()
