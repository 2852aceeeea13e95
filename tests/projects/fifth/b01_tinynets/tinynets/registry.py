"""Name -> constructor tables shared by all model files."""
import torch.nn as nn

_MODELS = {}

ACT_LAYERS = {
    "relu": nn.ReLU,
    "gelu": nn.GELU,
    "silu": nn.SiLU,
    "tanh": nn.Tanh,
}


def register_model(fn):
    _MODELS[fn.__name__] = fn
    return fn


def create_model(name, **kwargs):
    if name not in _MODELS:
        raise KeyError("unknown model %s, choose from %s" % (name, sorted(_MODELS)))
    return _MODELS[name](**kwargs)


def get_act(name, inplace=True):
    cls = ACT_LAYERS[name]
    if cls in (nn.ReLU, nn.SiLU):
        return cls(inplace=inplace)
    return cls()
