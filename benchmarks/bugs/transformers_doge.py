"""Doge's mixture of experts with norm_topk_prob=True cannot be trained."""

import torch
from transformers import DogeConfig, DogeForCausalLM

config = DogeConfig(
    vocab_size=64,
    hidden_size=32,
    intermediate_size=64,
    num_hidden_layers=1,
    num_attention_heads=2,
    is_moe=True,
    num_experts=16,
    num_experts_per_tok=4,
    norm_topk_prob=True,
)
model = DogeForCausalLM(config).train()
tokens = torch.randint(0, 64, (1, 8))
model(tokens, labels=tokens).loss.backward()
