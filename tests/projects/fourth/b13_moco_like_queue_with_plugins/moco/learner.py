import torch
import torch.nn as nn
import torch.nn.functional as F


class ContrastiveLearner(nn.Module):
    def __init__(self, encoder_q, encoder_k, bank, plugins):
        super().__init__()
        self.encoder_q, self.encoder_k, self.bank = encoder_q, encoder_k, bank
        self.encoder_k.requires_grad_(False)
        self.temperature = 1.0
        self.last_keys = None
        self.plugins = [p.attach(self) for p in plugins]

    def query_parameters(self):
        return list(self.encoder_q.parameters())

    def dispatch(self, event):
        for p in self.plugins:
            getattr(p, event)()

    @torch.no_grad()
    def encode_keys(self, x):
        perm = torch.randperm(x.size(0))
        k = torch.empty(x.size(0), self.bank.keys.size(0))
        k[perm] = self.encoder_k(x[perm])
        return k

    def logits(self, q, k):
        pos = (q * k).sum(1, keepdim=True)
        neg = q @ self.bank.negatives
        out = torch.cat([pos, neg], 1)
        out /= self.temperature
        return out

    def training_step(self, a, b):
        self.dispatch("before_loss")
        q = self.encoder_q(a)
        self.last_keys = self.encode_keys(b)
        out = self.logits(q, self.last_keys)
        loss = F.cross_entropy(out, torch.zeros(len(out), dtype=torch.long))
        self.dispatch("after_loss")
        return loss
