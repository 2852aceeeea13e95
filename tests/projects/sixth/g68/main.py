import torch
import torch.nn as nn
import torch.nn.functional as F


class Mems:
    def __init__(self, layers, mem_len, bsz, d):
        self.buf = torch.zeros(layers, mem_len, bsz, d)
        self.valid = 0

    def get(self, i):
        return self.buf[i, self.buf.size(1) - self.valid:]

    @torch.no_grad()
    def push(self, hids):
        n = hids[0].size(0)
        M = self.buf.size(1)
        n = min(n, M)
        if n < M:
            self.buf[:, : M - n] = self.buf[:, n:].clone()
        for i, h in enumerate(hids):
            self.buf[i, M - n:].copy_(h[-n:])
        self.valid = min(M, self.valid + n)

    def reset_rows(self, rows):
        self.buf[:, :, rows] = 0


class Layer(nn.Module):
    def __init__(self, d, max_len):
        super().__init__()
        self.q, self.kv, self.o = nn.Linear(d, d, bias=False), nn.Linear(d, 2 * d, bias=False), nn.Linear(d, d)
        self.rel = nn.Parameter(torch.zeros(max_len))
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.ff = nn.Sequential(nn.Linear(d, 2 * d), nn.ReLU(inplace=True), nn.Dropout(0.1, inplace=False), nn.Linear(2 * d, d))

    def forward(self, h, mem):
        c = torch.cat([mem, h], 0)
        k, v = self.kv(c).chunk(2, -1)
        q = self.q(h)
        s = torch.einsum("ibd,jbd->bij", q, k)
        s *= q.size(-1) ** -0.5
        i = torch.arange(h.size(0))[:, None] + mem.size(0)
        j = torch.arange(c.size(0))[None]
        dist = i - j
        s += self.rel[dist.clamp(min=0)]
        s.masked_fill_(dist < 0, -1e9)
        a = torch.einsum("bij,jbd->ibd", s.softmax(-1), v)
        h = self.ln1(h + self.o(a))
        return self.ln2(h + self.ff(h))


class XL(nn.Module):
    def __init__(self, vocab, d=16, n=2, seg=6, mem=8):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.layers = nn.ModuleList(Layer(d, seg + mem) for _ in range(n))
        self.scale = d ** 0.5

    def forward(self, x, mems):
        h = self.emb(x)
        h = h.mul_(self.scale)
        hids = []
        for i, l in enumerate(self.layers):
            hids += [h.detach()]
            h = l(h, mems.get(i))
        return F.linear(h, self.emb.weight), hids


def main():
    torch.manual_seed(68)
    torch.set_num_threads(1)
    V, B, seg = 9, 6, 6
    data = (torch.arange(80)[:, None] + torch.randint(0, V, (B,))) % V
    data[::13] = 0
    model = XL(V)
    opt = torch.optim.Adam(model.parameters(), 3e-3)
    mems = Mems(2, 8, B, 16)
    for step, i in enumerate(range(0, 78 - seg, seg)):
        x, y = data[i:i + seg], data[i + 1:i + 1 + seg]
        logits, hids = model(x, mems)
        loss = F.cross_entropy(logits.reshape(-1, V), y.reshape(-1))
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        opt.step()
        mems.push(hids)
        if step % 5 == 4:
            mems.reset_rows(torch.tensor([0, 3]))
        if step % 4 == 0:
            print(step, mems.valid, round(loss.item(), 4))


if __name__ == "__main__":
    main()
