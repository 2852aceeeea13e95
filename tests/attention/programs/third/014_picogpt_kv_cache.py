"""picoGPT-ish: parameters in plain dicts, functions only, a KV cache carried through a loop over layers."""
import math

import torch


def layer_norm(x, g, b, eps=1e-5):
    mu = x.mean(-1, keepdim=True)
    var = x.var(-1, keepdim=True, unbiased=False)
    return g * (x - mu) / torch.sqrt(var + eps) + b


def linear(x, w, b):
    return x @ w + b


def softmax(x):
    return torch.softmax(x, dim=-1)  # ATTN


def init_params(n_layer, d, vocab, n_ctx):
    def t(*shape, std=0.2):
        return (torch.randn(*shape) * std).requires_grad_()

    blocks = []
    for _ in range(n_layer):
        blocks.append({
            "ln_1": {"g": torch.ones(d).requires_grad_(), "b": torch.zeros(d).requires_grad_()},
            "attn": {"c_attn": {"w": t(d, 3 * d), "b": t(3 * d)}, "c_proj": {"w": t(d, d), "b": t(d)}},
            "mlp": {"c_fc": {"w": t(d, 2 * d), "b": t(2 * d)}, "c_proj": {"w": t(2 * d, d), "b": t(d)}},
        })
    return {"wte": t(vocab, d), "wpe": t(n_ctx, d), "blocks": blocks}


def leaves(tree):
    if isinstance(tree, torch.Tensor):
        yield tree
    else:
        for sub in tree.values() if isinstance(tree, dict) else tree:
            yield from leaves(sub)


def attend(q, k, v, offset):
    """q: (n_q, d), k and v: (n_k, d); query i sits at position offset + i."""
    n_q, n_k = q.shape[-2], k.shape[-2]
    visible = torch.arange(n_k)[None, :] <= torch.arange(n_q)[:, None] + offset
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    scores = torch.where(visible, scores, torch.full_like(scores, -1e10))
    return softmax(scores) @ v


def mha(x, p, n_head, past=None):
    q, k, v = torch.chunk(linear(x, **p["c_attn"]), 3, dim=-1)
    q, k, v = (torch.stack(t.chunk(n_head, dim=-1)) for t in (q, k, v))
    offset = 0
    if past is not None:
        pk, pv = past
        offset = pk.shape[-2]
        k = torch.cat([pk, k], dim=-2)
        v = torch.cat([pv, v], dim=-2)
    out = attend(q, k, v, offset)
    out = torch.cat(list(out), dim=-1)
    return linear(out, **p["c_proj"]), (k, v)


def forward(params, ids, n_head, cache=None):
    start = 0 if cache is None else cache[0][0].shape[-2]
    x = params["wte"][ids] + params["wpe"][start:start + len(ids)]
    new_cache = []
    for i, block in enumerate(params["blocks"]):
        a, kv = mha(layer_norm(x, **block["ln_1"]), block["attn"], n_head, cache[i] if cache else None)
        new_cache.append(kv)
        x = x + a
        x = x + linear(torch.nn.functional.gelu(linear(x, **block["mlp"]["c_fc"])), **block["mlp"]["c_proj"])
    return x @ params["wte"].T, new_cache


def generate(params, ids, n_head, n_new):
    cache, step, all_logits = None, ids, []
    for _ in range(n_new):
        logits, cache = forward(params, step, n_head, cache)
        all_logits.append(logits[-1])
        step = logits[-1].argmax().reshape(1)
    return torch.stack(all_logits)


# --- driver ---
def main():
    torch.manual_seed(0)
    params = init_params(n_layer=2, d=12, vocab=15, n_ctx=16)
    ids = torch.randint(0, 15, (5,))
    logits = generate(params, ids, n_head=3, n_new=4)
    logits.square().mean().backward()
    return [logits] + [p.grad for p in leaves(params)]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
