"""BERT self attention the way transformers used to write it."""
import math
from types import SimpleNamespace

import torch
from torch import nn


class BertSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        if config.hidden_size % config.num_attention_heads != 0:
            raise ValueError("The hidden size is not a multiple of the number of attention heads")
        self.num_attention_heads = config.num_attention_heads
        self.attention_head_size = int(config.hidden_size / config.num_attention_heads)
        self.all_head_size = self.num_attention_heads * self.attention_head_size
        self.query = nn.Linear(config.hidden_size, self.all_head_size)
        self.key = nn.Linear(config.hidden_size, self.all_head_size)
        self.value = nn.Linear(config.hidden_size, self.all_head_size)
        self.dropout = nn.Dropout(config.attention_probs_dropout_prob)

    def transpose_for_scores(self, x):
        new_x_shape = x.size()[:-1] + (self.num_attention_heads, self.attention_head_size)
        x = x.view(*new_x_shape)
        return x.permute(0, 2, 1, 3)

    def forward(self, hidden_states, attention_mask=None, head_mask=None, output_attentions=False):
        mixed_query_layer = self.query(hidden_states)
        key_layer = self.transpose_for_scores(self.key(hidden_states))
        value_layer = self.transpose_for_scores(self.value(hidden_states))
        query_layer = self.transpose_for_scores(mixed_query_layer)

        # Take the dot product between "query" and "key" to get the raw attention scores.
        attention_scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        attention_scores = attention_scores / math.sqrt(self.attention_head_size)
        if attention_mask is not None:
            # Apply the attention mask (precomputed for all layers in the model forward())
            attention_scores = attention_scores + attention_mask

        attention_probs = nn.Softmax(dim=-1)(attention_scores)  # ATTN
        # This is actually dropping out entire tokens to attend to
        attention_probs = self.dropout(attention_probs)
        if head_mask is not None:
            attention_probs = attention_probs * head_mask

        context_layer = torch.matmul(attention_probs, value_layer)
        context_layer = context_layer.permute(0, 2, 1, 3).contiguous()
        new_context_layer_shape = context_layer.size()[:-2] + (self.all_head_size,)
        context_layer = context_layer.view(*new_context_layer_shape)
        outputs = (context_layer, attention_probs) if output_attentions else (context_layer,)
        return outputs


class BertLayer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.self = BertSelfAttention(config)
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=1e-12)

    def forward(self, x, mask=None, output_attentions=False):
        self_outputs = self.self(x, mask, output_attentions=output_attentions)
        y = self.LayerNorm(self.dense(self_outputs[0]) + x)
        return (y,) + self_outputs[1:]


class BertModel(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embeddings = nn.Embedding(config.vocab_size, config.hidden_size, padding_idx=0)
        self.layer = nn.ModuleList([BertLayer(config) for _ in range(config.num_hidden_layers)])
        self.cls = nn.Linear(config.hidden_size, 3)

    def get_extended_attention_mask(self, attention_mask, dtype=torch.float32):
        extended = attention_mask[:, None, None, :].to(dtype=dtype)
        return (1.0 - extended) * -10000.0

    def forward(self, input_ids, attention_mask, output_attentions=False):
        x = self.embeddings(input_ids)
        mask = self.get_extended_attention_mask(attention_mask)
        all_attn = ()
        for layer in self.layer:
            outs = layer(x, mask, output_attentions)
            x = outs[0]
            if output_attentions:
                all_attn = all_attn + (outs[1],)
        return (self.cls(x[:, 0]),) + all_attn


# --- driver ---
def main():
    torch.manual_seed(0)
    config = SimpleNamespace(hidden_size=16, num_attention_heads=2, attention_probs_dropout_prob=0.1,
                             vocab_size=20, num_hidden_layers=2)
    model = BertModel(config)
    model.eval()
    ids = torch.randint(1, 20, (2, 6))
    am = torch.ones(2, 6)
    am[0, 4:] = 0
    logits = model(ids, am)[0]
    nn.functional.cross_entropy(logits, torch.tensor([0, 2])).backward()
    with torch.no_grad():
        probs = model(ids, am, output_attentions=True)[1:]
    return [logits, *probs] + [p.grad for p in model.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
