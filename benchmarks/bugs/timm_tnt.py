"""TNT with attention dropout cannot be trained."""

import timm
import torch

model = timm.create_model("tnt_s_patch16_224", attn_drop_rate=0.1).train()
model(torch.randn(1, 3, 224, 224)).sum().backward()
