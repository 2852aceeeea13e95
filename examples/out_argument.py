"""`out=` writes where it is told and records nothing for backward, so PyTorch refuses it where gradients are needed."""

import torch

x = torch.tensor([0.0, 1.0], requires_grad=True)
try:
    torch.exp(x, out=x)
except RuntimeError as error:
    print("the call raises:", error)

with torch.no_grad():
    torch.exp(x, out=x)
print("under no_grad it runs:", [round(v, 4) for v in x.tolist()])
