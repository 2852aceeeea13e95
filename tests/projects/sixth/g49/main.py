import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

MASK, VOCAB = 1, 16


def mask_tokens(inputs, p=0.3):
    inputs = inputs.clone()
    labels = inputs.clone()
    prob = torch.full(labels.shape, p)
    special = inputs < 2
    prob.masked_fill_(special, value=0.0)
    masked = torch.bernoulli(prob).bool()
    masked[:, 1] |= ~masked.any(1)
    labels[~masked] = -100
    replaced = torch.bernoulli(torch.full(labels.shape, 0.8)).bool() & masked
    inputs[replaced] = MASK
    rnd = torch.bernoulli(torch.full(labels.shape, 0.5)).bool() & masked & ~replaced
    inputs[rnd] = torch.randint(VOCAB, labels.shape)[rnd]
    return inputs, labels


def rand_bbox(W, H, lam):
    r = np.sqrt(1.0 - lam)
    w, h = int(W * r), int(H * r)
    cx, cy = np.random.randint(W), np.random.randint(H)
    return max(cx - w // 2, 0), max(cy - h // 2, 0), min(cx + w // 2, W), min(cy + h // 2, H)


def cutmix_(x, y, beta=1.0):
    lam = np.random.beta(beta, beta)
    perm = torch.randperm(x.size(0))
    x1, y1, x2, y2 = rand_bbox(x.size(-1), x.size(-2), lam)
    x[:, :, y1:y2, x1:x2] = x[perm, :, y1:y2, x1:x2]
    lam = 1 - ((x2 - x1) * (y2 - y1) / (x.size(-1) * x.size(-2)))
    return y, y[perm], lam


class Enc(nn.Module):
    def __init__(self, d=16):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, d)
        self.pos = nn.Parameter(torch.randn(1, 10, d) * 0.02)
        self.layer = nn.TransformerEncoderLayer(d, 2, 32, dropout=0.1, batch_first=True)
        self.head = nn.Linear(d, VOCAB)

    def forward(self, ids):
        x = self.tok(ids)
        x += self.pos
        x = F.dropout(x, 0.1, self.training, inplace=True)
        h = self.layer(x)
        return self.head(h)


class Patch(nn.Module):
    def __init__(self, ncls=3):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 4, 4)
        self.fc = nn.Linear(8 * 4, ncls)

    def forward(self, x):
        h = self.conv(x).flatten(1)
        return self.fc(F.hardtanh_(h, 0, 6))


def main():
    torch.manual_seed(49)
    np.random.seed(49)
    torch.set_num_threads(1)
    enc, cnn = Enc(), Patch()
    opt = torch.optim.AdamW([*enc.parameters(), *cnn.parameters()], 3e-3)
    imgs = torch.rand(48, 1, 8, 8)
    cls = torch.randint(0, 3, (48,))
    for k in range(3):
        imgs[cls == k] += 0.4 * k
    for it in range(9):
        base = torch.randint(2, 8, (16, 1))
        ids = base + torch.arange(10) % 8
        inp, lab = mask_tokens(ids)
        loss_t = F.cross_entropy(enc(inp).transpose(1, 2), lab)
        ix = torch.randperm(48)[:16]
        x, y = imgs[ix], cls[ix]
        ya, yb, lam = cutmix_(x, y)
        out = cnn(x)
        loss_i = lam * F.cross_entropy(out, ya) + (1 - lam) * F.cross_entropy(out, yb)
        loss = loss_t
        loss += loss_i
        opt.zero_grad()
        loss.backward()
        opt.step()
        if it % 3 == 0:
            print(it, round(loss_i.item(), 4), round(loss.item(), 4))


if __name__ == "__main__":
    main()
