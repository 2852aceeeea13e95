import torch
import torch.nn as nn


class TiedPredictor(nn.Module):
    """scores every vocabulary entry against the context vector"""

    def __init__(self, vocab_size, dim, max_norm=None, dropout=0.1):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, dim, max_norm=max_norm)
        self.proj = nn.Linear(dim, dim, bias=False)
        self.drop = nn.Dropout(dropout)

    def class_vectors(self):
        return self.proj(self.emb.weight)

    def forward(self, context):
        classes = self.class_vectors()                 # V, D
        ctx = self.drop(self.emb(context)).mean(dim=1)  # BUG
        return ctx @ classes.t()
