# coding=utf-8
"""Cross-encoder for passage re-ranking."""
import math
from types import SimpleNamespace
from typing import Optional, Tuple

import torch
from torch import nn


class BertSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.num_attention_heads = config.num_attention_heads
        self.attention_head_size = int(config.hidden_size / config.num_attention_heads)
        self.all_head_size = self.num_attention_heads * self.attention_head_size
        self.query = nn.Linear(config.hidden_size, self.all_head_size)
        self.key = nn.Linear(config.hidden_size, self.all_head_size)
        self.value = nn.Linear(config.hidden_size, self.all_head_size)
        self.dropout = nn.Dropout(config.attention_probs_dropout_prob)

    def transpose_for_scores(self, x: torch.Tensor) -> torch.Tensor:
        new_x_shape = x.size()[:-1] + (self.num_attention_heads, self.attention_head_size)
        x = x.view(new_x_shape)
        return x.permute(0, 2, 1, 3)

    def forward(
        self,
        hidden_states: torch.Tensor,
        attention_mask: Optional[torch.FloatTensor] = None,
        head_mask: Optional[torch.FloatTensor] = None,
        output_attentions: bool = False,
    ) -> Tuple[torch.Tensor, ...]:
        query_layer = self.transpose_for_scores(self.query(hidden_states))
        key_layer = self.transpose_for_scores(self.key(hidden_states))
        value_layer = self.transpose_for_scores(self.value(hidden_states))

        # Take the dot product between "query" and "key" to get the raw attention scores.
        attention_scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        attention_scores = attention_scores / math.sqrt(self.attention_head_size)
        if attention_mask is not None:
            attention_scores = attention_scores + attention_mask

        attention_probs = nn.functional.softmax(attention_scores, dim=-1)  # ATTN
        attention_probs = self.dropout(attention_probs)
        if head_mask is not None:
            attention_probs = attention_probs * head_mask

        context_layer = torch.matmul(attention_probs, value_layer)
        context_layer = context_layer.permute(0, 2, 1, 3).contiguous()
        context_layer = context_layer.view(context_layer.size()[:-2] + (self.all_head_size,))
        outputs = (context_layer, attention_probs) if output_attentions else (context_layer,)
        return outputs


class BertLayer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.self = BertSelfAttention(config)
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=1e-12)

    def forward(self, h, mask=None, **kw):
        out = self.self(h, mask, **kw)
        return (self.LayerNorm(self.dense(out[0]) + h),) + out[1:]


class Reranker(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.word = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList([BertLayer(config) for _ in range(config.num_layers)])
        self.score = nn.Linear(config.hidden_size, 1)

    def forward(self, input_ids, attention_mask=None):
        h = self.word(input_ids)
        ext = None
        if attention_mask is not None:
            ext = (1.0 - attention_mask[:, None, None, :].to(h.dtype)) * torch.finfo(h.dtype).min
        for layer in self.layers:
            h = layer(h, ext)[0]
        return self.score(h[:, 0]).squeeze(-1)


# --- driver ---
torch.manual_seed(28)
cfg = SimpleNamespace(hidden_size=24, num_attention_heads=4, attention_probs_dropout_prob=0.1, vocab_size=33, num_layers=2)
ranker = Reranker(cfg)
ranker.eval()
ranker.double()
RESULTS = []
for n, lens in ((9, None), (12, (12, 5, 8))):
    ids = torch.randint(33, (3, n))
    am = None if lens is None else (torch.arange(n) < torch.tensor(lens)[:, None]).long()
    ranker.zero_grad()
    s = ranker(ids, am)
    (-torch.log_softmax(s, 0)[0]).backward()
    RESULTS.append(s.detach())
    RESULTS.extend(p.grad.clone() for p in ranker.parameters())
