from .base import BaseVAE
from .conv import LinearVAE

MODELS = {"linear": LinearVAE}


def get_model(name, **kw):
    return MODELS[name](**kw)
