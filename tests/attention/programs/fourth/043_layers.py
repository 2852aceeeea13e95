import torch
import torch.nn.functional as F


def layer_norm(x, g, b):
    return F.layer_norm(x, (x.shape[-1],), g, b)


def mha(x, w, n_head, mask, p_drop, training):
    q, k, v = torch.tensor_split(x @ w["qkv"] + w["qkv_b"], 3, dim=-1)
    outs = []
    dh = q.shape[-1] // n_head
    for h in range(n_head):
        s = slice(h * dh, (h + 1) * dh)
        logits = torch.einsum("bid,bjd->bij", q[..., s], k[..., s]) / dh ** 0.5
        logits = logits + mask
        probs = F.softmax(logits, dim=2)  # ATTN
        probs = F.dropout(probs, p_drop, training)
        outs.append(torch.einsum("bij,bjd->bid", probs, v[..., s]))
    return torch.cat(outs, -1) @ w["proj"]


def transformer(x, layers, n_head=2, p_drop=0.1, training=False):
    n = x.shape[1]
    mask = torch.triu(torch.full((n, n), float("-inf")), diagonal=1)
    for w in layers:
        x = x + mha(layer_norm(x, w["g"], w["b"]), w, n_head, mask, p_drop, training)
        x = x + torch.tanh(x @ w["up"]) @ w["down"]
    return x


def init_layer(d, gen):
    def r(*s):
        return (torch.randn(*s, generator=gen) / s[0] ** 0.5).requires_grad_()
    return {
        "qkv": r(d, 3 * d), "qkv_b": torch.zeros(3 * d, requires_grad=True), "proj": r(d, d),
        "up": r(d, 2 * d), "down": r(2 * d, d),
        "g": torch.ones(d, requires_grad=True), "b": torch.zeros(d, requires_grad=True),
    }


def make():
    gen = torch.Generator().manual_seed(4)
    layers = [init_layer(16, gen) for _ in range(3)]
    x = torch.randn(2, 6, 16, generator=gen).requires_grad_()
    return transformer, (x, layers)
