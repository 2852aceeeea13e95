"""Word-level LSTM LM: variational dropout, truncated BPTT with in-place detach, Lookahead(Lion)."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Lion(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            live = [p for p in group["params"] if p.grad is not None]
            grads = [p.grad for p in live]
            exps = [self.state[p].setdefault("m", torch.zeros_like(p)) for p in live]
            b1, b2 = group["betas"]
            update = torch._foreach_mul(exps, b1)
            torch._foreach_add_(update, grads, alpha=1 - b1)
            torch._foreach_sign_(update)
            torch._foreach_mul_(live, 1 - group["lr"] * group["weight_decay"])
            torch._foreach_add_(live, update, alpha=-group["lr"])
            torch._foreach_lerp_(exps, grads, 1 - b2)


class Lookahead:
    def __init__(self, inner, k=3, alpha=0.5):
        self.inner, self.k, self.alpha, self.count = inner, k, alpha, 0
        self.fast = [p for g in inner.param_groups for p in g["params"]]
        self.slow = [p.detach().clone() for p in self.fast]

    def zero_grad(self):
        self.inner.zero_grad(set_to_none=True)

    def step(self):
        self.inner.step()
        self.count += 1
        if self.count % self.k == 0:
            with torch.no_grad():
                torch._foreach_lerp_(self.slow, self.fast, self.alpha)
                torch._foreach_copy_(self.fast, self.slow)


class LockedDropout(nn.Module):
    """One mask per sequence, shared over time."""

    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training or not self.p:
            return x
        mask = x.new_empty(x.size(0), 1, x.size(2)).bernoulli_(1 - self.p).div_(1 - self.p)
        return x * mask


class LSTMLM(nn.Module):
    def __init__(self, vocab, dim=20, layers=2, drop=0.2):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.rnns = nn.ModuleList(nn.LSTM(dim, dim, batch_first=True) for _ in range(layers))
        self.drop = LockedDropout(drop)
        self.bias = nn.Parameter(torch.zeros(vocab))
        with torch.no_grad():
            self.embed.weight.uniform_(-0.1, 0.1)
            for rnn in self.rnns:
                rnn.bias_hh_l0[dim: 2 * dim].fill_(1.0)

    def begin(self, batch):
        dim = self.embed.embedding_dim
        return [(torch.zeros(1, batch, dim), torch.zeros(1, batch, dim)) for _ in self.rnns]

    def forward(self, ids, states):
        x, new = self.drop(self.embed(ids)), []
        for rnn, state in zip(self.rnns, states):
            x, state = rnn(x, state)
            new.append(state)
            x = self.drop(x)
        return F.linear(x, self.embed.weight, self.bias), x, new


def detach_states_(states):
    for h, c in states:
        h.detach_()
        c.detach_()


def reset_finished_(states, ended):
    """Lanes whose document ended start the next one from zeros."""
    for pair in states:
        for s in pair:
            s[:, ended] = 0.0


def train(model, opt, tokens, bptt, eos, slowness=1.0):
    states = model.begin(tokens.size(0))
    for lo in range(0, tokens.size(1) - 1, bptt):
        hi = min(lo + bptt, tokens.size(1) - 1)
        logits, acts, states = model(tokens[:, lo:hi], states)
        loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, lo + 1: hi + 1].flatten())
        total = loss + slowness * acts.diff(dim=1).square().mean()
        opt.zero_grad()
        total.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        opt.step()
        detach_states_(states)
        reset_finished_(states, tokens[:, hi - 1] == eos)
        yield loss.exp().item()


# --- driver ---
torch.manual_seed(10)
model = LSTMLM(15)
opt = Lookahead(Lion(model.parameters(), lr=3e-3, weight_decay=0.01))
print(list(train(model, opt, torch.randint(0, 15, (4, 31)), bptt=6, eos=0)))
