"""Distillation: temperature KL on logits and MiniLM-style KL between query-key relations. No values are ever weighted."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, vocab, dim, classes):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)
        self.v = nn.Linear(dim, dim)
        self.mix = nn.Conv1d(dim, dim, 3, padding=1)
        self.cls = nn.Linear(dim, classes)

    def forward(self, ids):
        x = self.emb(ids)
        q, k, v = self.q(x), self.k(x), self.v(x)
        h = torch.tanh(self.mix((q + k + v).transpose(1, 2))).transpose(1, 2)
        return self.cls(h.mean(1)), (q, k, v)


def relation(a, b, heads):
    B, T, C = a.shape
    a = a.view(B, T, heads, C // heads).transpose(1, 2)
    b = b.view(B, T, heads, C // heads).transpose(1, 2)
    scores = torch.matmul(a, b.transpose(-1, -2)) / math.sqrt(C // heads)
    return scores


def relation_kl(teacher, student, heads):
    total = 0.0
    for (ta, tb), (sa, sb) in zip(teacher, student):
        t = F.softmax(relation(ta, tb, heads), dim=-1)  # NOT
        s = F.log_softmax(relation(sa, sb, heads), dim=-1)
        total = total + F.kl_div(s, t, reduction="none").sum(-1).mean()
    return total


def kd_loss(student_logits, teacher_logits, T=2.0):
    p = F.softmax(teacher_logits / T, dim=-1)
    return -(p * F.log_softmax(student_logits / T, dim=-1)).sum(-1).mean() * T * T


def info_nce(a, b, temperature=0.2):
    a, b = F.normalize(a, dim=-1), F.normalize(b, dim=-1)
    sim = a @ b.T / temperature
    return F.cross_entropy(sim, torch.arange(a.size(0)))


# --- driver ---
def main():
    torch.manual_seed(0)
    teacher, student = Encoder(13, 16, 4).eval(), Encoder(13, 8, 4).eval()
    ids = torch.randint(0, 13, (3, 6))
    with torch.no_grad():
        t_logits, (tq, tk, tv) = teacher(ids)
    s_logits, (sq, sk, sv) = student(ids)
    loss = kd_loss(s_logits, t_logits)
    loss = loss + relation_kl([(tq, tk), (tv, tv)], [(sq, sk), (sv, sv)], heads=2)
    loss = loss + info_nce(sq.mean(1), sk.mean(1))
    loss.backward()
    return [s_logits, loss] + [p.grad for p in student.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
