import torch
import torch.nn as nn
import torch.nn.functional as F


class Expert(nn.Module):
    def __init__(self, dim, mult=2):
        super().__init__()
        self.up = nn.Linear(dim, dim * mult)
        self.down = nn.Linear(dim * mult, dim)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)))


class Router(nn.Module):
    def __init__(self, dim, n_experts, capacity, jitter=0.0):
        super().__init__()
        self.proj = nn.Linear(dim, n_experts, bias=False)
        self.capacity = capacity
        self.jitter = jitter
        self.register_buffer("load", torch.zeros(n_experts))

    def overflow(self, choice, n_experts):
        onehot = F.one_hot(choice, n_experts)
        rank = onehot.cumsum(0)
        rank.sub_(1).mul_(onehot)
        return rank.sum(-1) >= self.capacity

    def forward(self, x):
        logits = self.proj(x)
        if self.training and self.jitter > 0:
            logits += torch.randn_like(logits) * self.jitter
        probs = logits.softmax(dim=-1)
        gate, choice = probs.max(dim=-1)
        dropped = self.overflow(choice, probs.shape[-1])
        rows = dropped.nonzero(as_tuple=True)[0]
        probs.index_fill_(0, rows, 0.0)  # BUG
        with torch.no_grad():
            self.load.mul_(0.9).add_(torch.bincount(choice, minlength=len(self.load)).float(), alpha=0.1)
        return probs, choice, dropped


class SwitchFFN(nn.Module):
    def __init__(self, dim, n_experts=3, capacity=2):
        super().__init__()
        self.router = Router(dim, n_experts, capacity, jitter=0.01)
        self.experts = nn.ModuleList(Expert(dim) for _ in range(n_experts))
        self.aux = None

    def forward(self, x):
        shape = x.shape
        x = x.reshape(-1, shape[-1])
        probs, choice, dropped = self.router(x)
        out = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            idx = torch.nonzero((choice == e) & ~dropped).flatten()
            if idx.numel() == 0:
                continue
            out.index_add_(0, idx, probs[idx, e].unsqueeze(-1) * expert(x[idx]))
        frac = F.one_hot(choice, len(self.experts)).float().mean(0)
        self.aux = len(self.experts) * (frac * probs.mean(0)).sum()
        return out.view(shape)


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = nn.MultiheadAttention(dim, 2, batch_first=True)
        self.ffn = SwitchFFN(dim)

    def forward(self, x):
        h = self.ln1(x)
        x = x + self.attn(h, h, h, need_weights=False)[0]
        return x + self.ffn(self.ln2(x))


class Classifier(nn.Module):
    def __init__(self, vocab, dim, n_cls, depth=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.blocks = nn.ModuleList(Block(dim) for _ in range(depth))
        self.head = nn.Linear(dim, n_cls)

    def forward(self, ids):
        x = self.emb(ids)
        for b in self.blocks:
            x = b(x)
        return self.head(x.mean(1)), sum(b.ffn.aux for b in self.blocks)


def train_step(model, opt, ids, y, aux_weight=0.01):
    logits, aux = model(ids)
    loss = F.cross_entropy(logits, y) + aux_weight * aux
    opt.zero_grad()
    loss.backward()
    opt.step()


# --- driver ---
torch.manual_seed(3)
m = Classifier(20, 8, 4)
train_step(m, torch.optim.Adam(m.parameters()), torch.randint(0, 20, (3, 5)), torch.tensor([0, 1, 2]))
