from .base import BaseAttention
from .masking import zero_masked

ATTENTION = {}


def register(name):
    def deco(cls):
        ATTENTION[name] = cls
        return cls

    return deco


def build_attention(name, *args, **kw):
    return ATTENTION[name](*args, **kw)


@register("softmax")
class SoftmaxAttention(BaseAttention):
    def weights(self, scores, mask):
        w = scores.softmax(-1)
        if mask is not None:
            zero_masked(w, mask)
        return w


@register("relu")
class ReluAttention(BaseAttention):
    def weights(self, scores, mask):
        w = scores.relu() / scores.size(-1)
        return w if mask is None else w.masked_fill(~mask, 0)
