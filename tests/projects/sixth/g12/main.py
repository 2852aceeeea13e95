import torch
import torch.nn as nn
import torch.nn.functional as F


class KVCache:
    def __init__(self, batch, max_len, dim):
        self.k = torch.zeros(batch, max_len, dim)
        self.v = torch.zeros(batch, max_len, dim)
        self.n = 0

    def update(self, k, v):
        t = k.size(1)
        self.k[:, self.n:self.n + t] = k
        self.v[:, self.n:self.n + t] = v
        self.n += t
        return self.k[:, :self.n], self.v[:, :self.n]

    def reorder(self, idx):
        self.k = self.k[idx]
        self.v = self.v[idx]


class CachedAttention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(dim, dim, bias=False) for _ in range(3))
        self.o = nn.Linear(dim, dim)

    def forward(self, x, cache=None):
        q, k, v = self.q(x), self.k(x), self.v(x)
        if cache is not None:
            assert not torch.is_grad_enabled()
            k, v = cache.update(k, v)
        s = q @ k.transpose(1, 2)
        s /= k.size(-1) ** 0.5
        tq, tk = s.shape[1:]
        s.masked_fill_(torch.ones(tq, tk, dtype=torch.bool).triu_(tk - tq + 1), -1e9)
        return self.o(s.softmax(-1) @ v)


class LM(nn.Module):
    def __init__(self, vocab=11, dim=16, depth=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.attn = nn.ModuleList(CachedAttention(dim) for _ in range(depth))
        self.ff = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 32), nn.ReLU(inplace=True), nn.Linear(32, dim))
            for _ in range(depth)
        )
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids, caches=None):
        x = self.emb(ids)
        for i, (a, f) in enumerate(zip(self.attn, self.ff)):
            x = x + a(x, None if caches is None else caches[i])
            x = x + f(x)
        return self.head(x)

    @torch.no_grad()
    def generate(self, prompt, steps):
        B, T = prompt.shape
        out = prompt.new_zeros(B, T + steps)
        out[:, :T] = prompt
        caches = [KVCache(B, T + steps, 16) for _ in self.attn]
        logits = self(prompt, caches)
        for t in range(T, T + steps):
            out[:, t] = logits[:, -1].argmax(-1)
            logits = self(out[:, t:t + 1], caches)
        return out


torch.manual_seed(12)
torch.set_num_threads(1)
model = LM()
opt = torch.optim.Adam(model.parameters(), 5e-3)
for step in range(15):
    seq = (torch.randint(0, 11, (16, 1)) + 2 * torch.arange(9)).remainder_(11)
    model.train()
    logits = model(seq[:, :-1])
    loss = F.cross_entropy(logits.reshape(-1, 11), seq[:, 1:].reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 5 == 4:
        model.eval()
        gen = model.generate(seq[:2, :3], 4)
        print(step, round(loss.item(), 4), gen[0].tolist())
