import torch
import torch.nn as nn
import torch.nn.functional as F

from lora import LoRALinear, Prefix, mark_only_lora


class Model(nn.Module):
    def __init__(self, d=12, ncls=3):
        super().__init__()
        self.prefix = Prefix(2, d)
        self.q, self.v = LoRALinear(d, d, dropout=0.1), LoRALinear(d, d, dropout=0.1)
        self.k = nn.Linear(d, d)
        self.norm = nn.LayerNorm(d)
        self.head = nn.Linear(d, ncls)

    def forward(self, x):
        x = self.prefix(x)
        att = self.q(x) @ self.k(x).transpose(1, 2)
        att.div_(x.size(-1) ** 0.5)
        h = att.softmax(-1) @ self.v(x)
        h += x
        return self.head(self.norm(h).mean(1))


def make(n):
    y = torch.randint(0, 3, (n,))
    x = torch.randn(n, 5, 12)
    x[torch.arange(n), 0, y] += 3.0
    return x, y


def main():
    torch.manual_seed(67)
    torch.set_num_threads(1)
    model = Model()
    mark_only_lora(model)
    base = model.q.weight.detach().clone()
    opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], 1e-2)
    for ep in range(4):
        model.train()
        for _ in range(3):
            x, y = make(24)
            loss = F.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            x, y = make(48)
            acc = (model(x).argmax(1) == y).float().mean()
        print(ep, round(loss.item(), 4), round(acc.item(), 3))
    model.train()
    print("base intact", torch.allclose(base, model.q.weight, atol=1e-5))


if __name__ == "__main__":
    main()
