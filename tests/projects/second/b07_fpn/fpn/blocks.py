from torch import nn

ACTS = {
    "relu": lambda: nn.ReLU(inplace=True),
    "leaky": lambda: nn.LeakyReLU(0.1, inplace=True),
    "silu": nn.SiLU,
}


class ConvAct(nn.Sequential):
    def __init__(self, cin, cout, k=3, act="relu"):
        super().__init__(nn.Conv2d(cin, cout, k, padding=k // 2), ACTS[act]())
