from functools import partial
import torch.nn as nn

ACTIVATIONS = {
    "relu": partial(nn.ReLU, inplace=True),
    "gelu": nn.GELU,
    "silu": nn.SiLU,
}


def build_act(name):
    return ACTIVATIONS[name]()


def conv_bn(cin, cout, k):
    return nn.Sequential(nn.Conv2d(cin, cout, k, padding=k // 2, bias=False), nn.BatchNorm2d(cout))


def preact_conv(cin, cout, k, act):
    return nn.Sequential(build_act(act), nn.Conv2d(cin, cout, k, padding=k // 2, bias=False), nn.BatchNorm2d(cout))
