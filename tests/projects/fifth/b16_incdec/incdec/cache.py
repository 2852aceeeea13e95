import torch


class StaticCache:
    """Fixed size key/value cache, one entry a layer."""

    def __init__(self, layers, batch, heads, max_len, dim, like):
        shape = (batch, heads, max_len, dim)
        self.k = [like.new_zeros(shape) for _ in range(layers)]
        self.v = [like.new_zeros(shape) for _ in range(layers)]

    def update(self, layer, pos, k, v):
        self.k[layer].index_copy_(2, pos, k)  # BUG
        self.v[layer].index_copy_(2, pos, v)
        return self.k[layer], self.v[layer]


class DynamicCache:
    """Grows by concatenation."""

    def __init__(self, layers):
        self.k = [None] * layers
        self.v = [None] * layers

    def update(self, layer, pos, k, v):
        if self.k[layer] is not None:
            k = torch.cat([self.k[layer], k], 2)
            v = torch.cat([self.v[layer], v], 2)
        self.k[layer], self.v[layer] = k, v
        return k, v
