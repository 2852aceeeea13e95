"""All backwards come before all steps."""

import torch
from torch import nn

encoder = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
decoder = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 4))
opt_e = torch.optim.Adam(encoder.parameters())
opt_d = torch.optim.Adam(decoder.parameters())

x = torch.randn(5, 4)
code = encoder(x)
reconstruction = (decoder(code) - x).square().mean()
sparsity = code.abs().mean()

opt_e.zero_grad()
opt_d.zero_grad()
reconstruction.backward(retain_graph=True)
sparsity.backward()
opt_e.step()
opt_d.step()
