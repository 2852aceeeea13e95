import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


def conv_bn(c_in, c_out, stride):
    return [nn.Conv2d(c_in, c_out, 3, stride, 1, bias=False), nn.BatchNorm2d(c_out), nn.ReLU(inplace=True)]


class SmallConvNet(nn.Module):
    def __init__(self, dim=8, width=8):
        super().__init__()
        self.trunk = nn.Sequential(*conv_bn(3, width, 2), *conv_bn(width, width, 2))
        self.fc = nn.Linear(width, dim)

    def forward(self, x):
        return self.fc(self.trunk(x).mean((2, 3)))


class KeyQueue(nn.Module):
    def __init__(self, dim, size):
        super().__init__()
        self.register_buffer("bank", F.normalize(torch.randn(dim, size), dim=0))
        self.register_buffer("ptr", torch.zeros(1, dtype=torch.long))

    @property
    def size(self):
        return self.bank.shape[1]

    @torch.no_grad()
    def enqueue(self, keys):
        start = int(self.ptr)
        cols = torch.arange(start, start + keys.shape[0]) % self.size
        self.bank[:, cols] = keys.t()  # BUG
        self.ptr[0] = (start + keys.shape[0]) % self.size

    def negatives(self):
        return self.bank


class MoCo(nn.Module):
    def __init__(self, encoder, dim=8, queue=16, m=0.99, T=0.2):
        super().__init__()
        self.m, self.T = m, T
        self.encoder_q = encoder
        self.encoder_k = copy.deepcopy(encoder)
        for p in self.encoder_k.parameters():
            p.requires_grad = False
        self.queue = KeyQueue(dim, queue)

    @torch.no_grad()
    def momentum_update(self):
        for pq, pk in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            pk.mul_(self.m).add_(pq, alpha=1 - self.m)

    @torch.no_grad()
    def encode_keys(self, im_k):
        perm = torch.randperm(im_k.shape[0])
        k = F.normalize(self.encoder_k(im_k[perm]), dim=1)
        out = torch.empty_like(k)
        out[perm] = k
        return out

    def forward(self, im_q, im_k):
        q = F.normalize(self.encoder_q(im_q), dim=1)
        self.momentum_update()
        k = self.encode_keys(im_k)
        l_pos = torch.einsum("nc,nc->n", q, k).unsqueeze(-1)
        l_neg = q @ self.queue.negatives()
        logits = torch.cat([l_pos, l_neg], dim=1)
        logits /= self.T
        labels = torch.zeros(logits.shape[0], dtype=torch.long)
        self.queue.enqueue(k)
        return logits, labels


def pretrain(model, loader, lr=0.03):
    opt = torch.optim.SGD(model.encoder_q.parameters(), lr=lr, momentum=0.9, weight_decay=1e-4)
    for a, b in loader:
        logits, labels = model(a, b)
        loss = F.cross_entropy(logits, labels)
        opt.zero_grad()
        loss.backward()
        opt.step()


# --- driver ---
torch.manual_seed(0)
pretrain(MoCo(SmallConvNet()), [(torch.randn(4, 3, 8, 8), torch.randn(4, 3, 8, 8))])
