import torch

from amp.data import Regression
from amp.loop import Loop
from amp.nets import ResidualNet
from amp.precision import PRECISION

ARGS = dict(precision="bf16-sim", steps=12, lr=0.02, every=4)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net = ResidualNet(6, 16, 2)
    policy = PRECISION[ARGS["precision"]](net)
    loop = Loop(net, policy, lr=ARGS["lr"])
    for step, (x, y) in enumerate(Regression(6, ARGS["steps"])):
        loss = loop.step(x, y)
        if step % ARGS["every"] == 0:
            print(step, round(loss, 5), "scale", policy.loss_scale)


if __name__ == "__main__":
    main()
