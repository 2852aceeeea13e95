import torch

from meta.config import HParams
from meta.learner import MetaLearner
from meta.nets import FunctionalMLP
from meta.tasks import SinusoidFamily
from meta.updaters import make_updater


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    hp = HParams(updater="momentum", inner_steps=3, meta_batch=3)
    net = FunctionalMLP([1, 20, 20, 1])
    learner = MetaLearner(net, make_updater(hp), hp)
    family = SinusoidFamily()
    for it in range(hp.iterations):
        loss = learner.outer_step(family.sample(hp.meta_batch))
        if it % 2 == 0:
            print(it, round(loss, 4))


if __name__ == "__main__":
    main()
