from torch import nn


def make_act(name, inplace=False):
    return {"relu": lambda: nn.ReLU(inplace=inplace), "sig": nn.Sigmoid, "elu": lambda: nn.ELU(inplace=inplace)}[name]()
