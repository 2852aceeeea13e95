from torch import nn


def shared_mlp(*dims):
    mods = []
    for a, b in zip(dims, dims[1:]):
        mods += [nn.Linear(a, b), nn.ReLU(inplace=True)]
    return nn.Sequential(*mods)
