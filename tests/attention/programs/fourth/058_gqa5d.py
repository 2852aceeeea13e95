import torch


def grouped_attention(xq, xk, xv, valid_len):
    """xq: (b, s, g * r, d);  xk, xv: (b, t, g, d);  valid_len: (b,) number of filled cache slots."""
    b, s, h, d = xq.shape
    t, g = xk.shape[1], xk.shape[2]
    xq = xq.reshape(b, s, g, h // g, d)
    scores = torch.einsum("bsgrd,btgd->bgrst", xq, xk) * (d ** -0.5)
    slot = torch.arange(t)
    qpos = valid_len[:, None] - s + torch.arange(s)[None, :]
    ok = slot[None, None, :] <= qpos[:, :, None]
    scores = torch.where(ok[:, None, None], scores, torch.tensor(float("-inf"), dtype=scores.dtype))
    probs = torch.softmax(scores, dim=-1)  # ATTN
    out = torch.einsum("bgrst,btgd->bsgrd", probs, xv)
    return out.reshape(b, s, h, d)


class DecodeStep:
    def __init__(self, wq, wk, wv, heads, kv_heads):
        self.wq, self.wk, self.wv = wq, wk, wv
        self.heads, self.kv_heads = heads, kv_heads

    def __call__(self, x, mem, valid_len):
        b, s, _ = x.shape
        q = (x @ self.wq).view(b, s, self.heads, -1)
        k = (mem @ self.wk).view(b, mem.shape[1], self.kv_heads, -1)
        v = (mem @ self.wv).view(b, mem.shape[1], self.kv_heads, -1)
        return grouped_attention(q, k, v, valid_len).flatten(2)


def make():
    torch.manual_seed(55)
    step = DecodeStep(torch.randn(16, 24) / 4, torch.randn(16, 8) / 4, torch.randn(16, 8) / 4, 6, 2)
    x = torch.randn(3, 2, 16, requires_grad=True)
    mem = torch.randn(3, 9, 16, requires_grad=True)
    return step, (x, mem, torch.tensor([9, 4, 2]))
