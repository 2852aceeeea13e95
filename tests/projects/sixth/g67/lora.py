import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class LoRALinear(nn.Linear):
    def __init__(self, i, o, r=2, alpha=4, dropout=0.0, **kw):
        nn.Linear.__init__(self, i, o, **kw)
        self.lora_A = nn.Parameter(self.weight.new_zeros((r, i)))
        self.lora_B = nn.Parameter(self.weight.new_zeros((o, r)))
        self.scaling = alpha / r
        self.weight.requires_grad = False
        self.bias.requires_grad = False
        self.merged = False
        self.lora_dropout = nn.Dropout(dropout) if dropout > 0 else nn.Identity()
        nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))

    def train(self, mode=True):
        nn.Linear.train(self, mode)
        if mode:
            if self.merged:
                self.weight.data -= (self.lora_B @ self.lora_A).data * self.scaling
                self.merged = False
        else:
            if not self.merged:
                self.weight.data += (self.lora_B @ self.lora_A).data * self.scaling
                self.merged = True
        return self

    def forward(self, x):
        out = F.linear(x, self.weight, bias=self.bias)
        if not self.merged:
            out += (self.lora_dropout(x) @ self.lora_A.t() @ self.lora_B.t()) * self.scaling
        return out


class Prefix(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        self.emb = nn.Parameter(torch.randn(n, d) * 0.02)

    def forward(self, x):
        out = x.new_zeros(x.size(0), x.size(1) + self.emb.size(0), x.size(2))
        out[:, : self.emb.size(0)] = self.emb
        out[:, self.emb.size(0):] = x
        return out


def mark_only_lora(model):
    for n, p in model.named_parameters():
        p.requires_grad_("lora_" in n or "prefix" in n or "head" in n)
