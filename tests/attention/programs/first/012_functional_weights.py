# A purely functional transformer block: parameters live in a flat dict so that
# inner-loop adaptation (MAML style) can swap them without touching modules.
import torch
import torch.nn.functional as F


def init_params(dim, heads, ff, generator):
    def w(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64) / shape[-1] ** 0.5

    params = {
        "attn.wq": w(dim, dim), "attn.wk": w(dim, dim), "attn.wv": w(dim, dim), "attn.wo": w(dim, dim),
        "attn.bo": torch.zeros(dim, dtype=torch.float64),
        "ln1.g": torch.ones(dim, dtype=torch.float64), "ln1.b": torch.zeros(dim, dtype=torch.float64),
        "ln2.g": torch.ones(dim, dtype=torch.float64), "ln2.b": torch.zeros(dim, dtype=torch.float64),
        "ff.w1": w(ff, dim), "ff.w2": w(dim, ff),
    }
    return {k: v.requires_grad_() for k, v in params.items()}


def layer_norm(x, p, name):
    return F.layer_norm(x, x.shape[-1:], p[f"{name}.g"], p[f"{name}.b"])


def self_attention(p, x, n_heads, valid=None):
    b, n, d = x.shape
    hd = d // n_heads
    q = F.linear(x, p["attn.wq"]).reshape(b, n, n_heads, hd)
    k = F.linear(x, p["attn.wk"]).reshape(b, n, n_heads, hd)
    v = F.linear(x, p["attn.wv"]).reshape(b, n, n_heads, hd)
    logits = torch.einsum("bqhc,bkhc->bhqk", q, k) * hd ** -0.5
    if valid is not None:
        logits = torch.where(valid[:, None, None, :], logits, torch.tensor(-1e30, dtype=logits.dtype))
    weights = torch.softmax(logits, dim=-1)  # ATTN
    ctx = torch.einsum("bhqk,bkhc->bqhc", weights, v).reshape(b, n, d)
    return F.linear(ctx, p["attn.wo"], p["attn.bo"])


def block(p, x, n_heads=4, valid=None):
    x = x + self_attention(p, layer_norm(x, p, "ln1"), n_heads, valid)
    h = F.relu(F.linear(layer_norm(x, p, "ln2"), p["ff.w1"]))
    return x + F.linear(h, p["ff.w2"])


def inner_step(p, x, target, lr=0.1, **kw):
    """One differentiable gradient step on a support set."""
    loss = F.mse_loss(block(p, x, **kw), target)
    names = list(p)
    grads = torch.autograd.grad(loss, [p[n] for n in names], create_graph=True)
    return {n: p[n] - lr * g for n, g in zip(names, grads)}


# --- driver ---
g = torch.Generator().manual_seed(12)
params = init_params(16, 4, 24, g)
RESULTS = []
for n, masked in ((8, False), (11, True)):
    for t in params.values():
        t.grad = None
    xs = torch.randn(2, n, 16, generator=g, dtype=torch.float64)
    xq = torch.randn(2, n, 16, generator=g, dtype=torch.float64, requires_grad=True)
    valid = None
    if masked:
        valid = torch.arange(n).expand(2, n) < torch.tensor([[n], [n - 5]])
    fast = inner_step(params, xs, xs.roll(1, 1), valid=valid)
    out = block(fast, xq, valid=valid)
    out.sin().sum().backward()
    RESULTS.append(out.detach())
    RESULTS.append(xq.grad)
    RESULTS.extend(t.grad.clone() for t in params.values())
