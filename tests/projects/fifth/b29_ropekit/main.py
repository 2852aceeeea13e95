import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from ropekit import AttnConfig, RotaryAttention

m = RotaryAttention(AttnConfig(rope={"learned_freq": True}))
m(torch.randn(2, 5, 8)).sum().backward()
print("ok")
