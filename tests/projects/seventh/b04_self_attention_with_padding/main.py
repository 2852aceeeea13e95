import math
import torch
import torch.nn as nn
from attn_utils import split_heads, merge_heads, lengths_to_mask, drop_padding


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model=32, n_heads=4):
        super().__init__()
        assert d_model % n_heads == 0
        self.h = n_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.out = nn.Linear(d_model, d_model)

    def forward(self, x, pad_mask=None):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k, v = (split_heads(t, self.h) for t in (q, k, v))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        p = scores.softmax(dim=-1)
        if pad_mask is not None:
            p = drop_padding(p, pad_mask)
        return self.out(merge_heads(p @ v))


class Classifier(nn.Module):
    def __init__(self, vocab=50, d=32, n_cls=4):
        super().__init__()
        self.emb = nn.Embedding(vocab, d, padding_idx=0)
        self.attn = MultiHeadAttention(d)
        self.norm = nn.LayerNorm(d)
        self.fc = nn.Linear(d, n_cls)

    def forward(self, tokens, lengths):
        mask = lengths_to_mask(lengths, tokens.size(1))
        x = self.emb(tokens)
        x = self.norm(x + self.attn(x, mask))
        x = x.masked_fill(mask.unsqueeze(-1), 0.).sum(1) / lengths.unsqueeze(1)
        return self.fc(x)


def main():
    torch.manual_seed(0)
    model = Classifier()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(5):
        lengths = torch.randint(3, 12, (16,))
        tokens = torch.randint(1, 50, (16, 12))
        labels = torch.randint(0, 4, (16,))
        loss = nn.functional.cross_entropy(model(tokens, lengths), labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"step {step}: {loss.item():.4f}")


if __name__ == '__main__':
    main()
