"""Caption decoder step written functionally: all weights live in a flat dict.

(handy for MAML-style inner loops, where fast weights replace the slow ones)
"""
import torch
import torch.nn.functional as F


def init_weights(d_word, d_region, d, heads, vocab, gen=None):
    def mat(o, i):
        return torch.randn(o, i, generator=gen) / i ** 0.5
    w = {
        "emb": torch.randn(vocab, d_word, generator=gen),
        "q.w": mat(d, d_word), "q.b": torch.zeros(d),
        "k.w": mat(d, d_region), "k.b": torch.zeros(d),
        "v.w": mat(d, d_region), "v.b": torch.zeros(d),
        "o.w": mat(d_word, d), "o.b": torch.zeros(d_word),
        "out.w": mat(vocab, d_word),
    }
    w["heads"] = heads
    return w


def heads_first(x, h):
    return x.unflatten(-1, (h, -1)).movedim(-2, -3)


def look_at_regions(w, words, regions, region_ok=None):
    h = w["heads"]
    q = heads_first(F.linear(words, w["q.w"], w["q.b"]), h)
    k = heads_first(F.linear(regions, w["k.w"], w["k.b"]), h)
    v = heads_first(F.linear(regions, w["v.w"], w["v.b"]), h)
    sim = q @ k.mT
    sim = sim * (q.shape[-1] ** -0.5)
    if region_ok is not None:
        sim = sim.where(region_ok[:, None, None], sim.new_tensor(-torch.inf))
    p = F.softmax(sim, -1)  # ATTN
    ctx = (p @ v).movedim(-3, -2).flatten(-2)
    return F.linear(ctx, w["o.w"], w["o.b"])


def caption_logits(w, tokens, regions, region_ok=None):
    x = w["emb"][tokens]
    x = F.layer_norm(x, x.shape[-1:])
    x = x + look_at_regions(w, x, regions, region_ok)
    return x @ w["out.w"].T


def inner_step(w, loss, lr):
    names = [n for n, t in w.items() if torch.is_tensor(t)]
    grads = torch.autograd.grad(loss, [w[n] for n in names], create_graph=True)
    fast = dict(w)
    for n, g in zip(names, grads):
        fast[n] = w[n] - lr * g
    return fast


# --- driver ---
torch.manual_seed(26)
W = init_weights(8, 12, 15, 3, 21)
W = {k: (t.double().requires_grad_() if torch.is_tensor(t) else t) for k, t in W.items()}
RESULTS = []
for T, R, ok in ((5, 9, None), (7, 6, torch.arange(6)[None] < torch.tensor([[6], [4]]))):
    tok = torch.randint(0, 21, (2, T))
    reg = torch.randn(2, R, 12, dtype=torch.float64, requires_grad=True)
    for t in W.values():
        if torch.is_tensor(t):
            t.grad = None
    lg = caption_logits(W, tok, reg, ok)
    F.cross_entropy(lg[:, :-1].flatten(0, 1), tok[:, 1:].flatten()).backward()
    RESULTS += [lg.detach(), reg.grad] + [t.grad for t in W.values() if torch.is_tensor(t)]
