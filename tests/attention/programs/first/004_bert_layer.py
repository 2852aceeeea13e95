import math

import torch
import torch.nn as nn


class Config:
    hidden_size = 36
    num_attention_heads = 3
    intermediate_size = 64
    attention_probs_dropout_prob = 0.1
    hidden_dropout_prob = 0.1
    layer_norm_eps = 1e-12


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

    def transpose_for_scores(self, x):
        new_x_shape = x.size()[:-1] + (self.num_attention_heads, self.attention_head_size)
        x = x.view(*new_x_shape)
        return x.permute(0, 2, 1, 3)

    def forward(self, hidden_states, attention_mask=None, head_mask=None, output_attentions=False):
        mixed_query_layer = self.query(hidden_states)
        query_layer = self.transpose_for_scores(mixed_query_layer)
        key_layer = self.transpose_for_scores(self.key(hidden_states))
        value_layer = self.transpose_for_scores(self.value(hidden_states))

        attention_scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        attention_scores = attention_scores / math.sqrt(self.attention_head_size)
        if attention_mask is not None:
            attention_scores = attention_scores + attention_mask

        attention_probs = nn.Softmax(dim=-1)(attention_scores)  # ATTN
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
        self.norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.drop = nn.Dropout(config.hidden_dropout_prob)
        self.up = nn.Linear(config.hidden_size, config.intermediate_size)
        self.down = nn.Linear(config.intermediate_size, config.hidden_size)
        self.out_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def forward(self, hidden_states, attention_mask=None, output_attentions=False):
        self_outputs = self.self(hidden_states, attention_mask, output_attentions=output_attentions)
        h = self.norm(hidden_states + self.drop(self.dense(self_outputs[0])))
        h = self.out_norm(h + self.drop(self.down(nn.functional.gelu(self.up(h)))))
        return (h,) + self_outputs[1:]


def extend_mask(mask, dtype):
    return (1.0 - mask[:, None, None, :].to(dtype)) * -10000.0


# --- driver ---
torch.manual_seed(4)
layer = BertLayer(Config()).double().eval()
RESULTS = []
x = torch.randn(2, 13, 36, dtype=torch.double, requires_grad=True)
(h,) = layer(x)
torch.tanh(h).sum().backward()
RESULTS += [h.detach(), x.grad.clone()] + [p.grad.clone() for p in layer.parameters()]

layer.zero_grad()
x2 = torch.randn(3, 8, 36, dtype=torch.double, requires_grad=True)
pad = torch.tensor([[1] * 8, [1] * 5 + [0] * 3, [1] * 3 + [0] * 5])
h2, probs = layer(x2, extend_mask(pad, torch.double), output_attentions=True)
(h2 ** 3).sum().backward()
RESULTS += [h2.detach(), probs.detach(), x2.grad.clone()] + [p.grad.clone() for p in layer.parameters()]
