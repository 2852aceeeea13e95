import torch
import torch.nn as nn
import torch.nn.functional as F


@torch.no_grad()
def max_norm_(module, limit=2.0):
    for m in module.modules():
        if isinstance(m, nn.Linear):
            m.weight.renorm_(2, 0, limit)


@torch.no_grad()
def centralize_(conv):
    w = conv.weight
    w.sub_(w.mean(dim=(1, 2), keepdim=True))
    w.div_(w.flatten(1).std(1).clamp(min=0.05).mul(w[0].numel() ** 0.5).view(-1, 1, 1))


class TextCNN(nn.Module):
    def __init__(self, vocab=15, d=8, k=6, ncls=3):
        super().__init__()
        self.emb = nn.Embedding(vocab, d, max_norm=1.0)
        self.convs = nn.ModuleList(nn.Conv1d(d, k, w, padding=w // 2) for w in (3, 5))
        self.fc = nn.Linear(2 * k, ncls)
        self.proj = nn.Parameter(torch.eye(d))

    def forward(self, x):
        # tied use of the table: max_norm renormalises rows in place, so use a copy of it first
        table = self.emb.weight.clone() @ self.proj
        e = self.emb(x).transpose(1, 2)
        hs = []
        for c in self.convs:
            h = c(e)
            h.relu_()
            hs += [h.amax(2)]
        z = torch.cat(hs, 1)
        z = F.dropout(z, 0.2, self.training, inplace=False)
        logits = self.fc(z)
        lm = e.mean(2) @ table.t()
        return logits, lm


class Meter:
    def __init__(self):
        self.sum, self.n = 0.0, 0

    def update(self, v, k=1):
        self.sum += v * k
        self.n += k

    @property
    def avg(self):
        return self.sum / max(self.n, 1)


def batch(n):
    x = torch.randint(3, 15, (n, 9))
    y = torch.randint(0, 3, (n,))
    pos = torch.randint(0, 9, (n,))
    x[torch.arange(n), pos] = y
    return x, y


def main():
    torch.manual_seed(45)
    torch.set_num_threads(1)
    net = TextCNN()
    opt = torch.optim.Adadelta(net.parameters(), lr=1.0)
    for ep in range(3):
        meter = Meter()
        for _ in range(5):
            x, y = batch(24)
            logits, lm = net(x)
            bow = torch.zeros(24, 15).scatter_(1, x, 1.0)
            loss = F.cross_entropy(logits, y)
            loss += 0.1 * F.binary_cross_entropy_with_logits(lm, bow)
            opt.zero_grad()
            loss.backward()
            opt.step()
            max_norm_(net)
            for c in net.convs:
                centralize_(c)
            meter.update(loss.item(), 24)
        print(ep, round(meter.avg, 4))


if __name__ == "__main__":
    main()
