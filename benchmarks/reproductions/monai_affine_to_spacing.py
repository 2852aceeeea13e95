"""monai 1.6.1, data/utils.py:735: spacings of 0 are set to 1 in what sqrt saved, if the affine requires grad."""

import torch

affine = torch.eye(4, requires_grad=True)
part = affine[:3, :3]
spacing = torch.sqrt(torch.sum(part * part, dim=0))
spacing[spacing == 0] = 1.0
try:
    spacing.sum().backward()
except RuntimeError as error:
    print(error)
else:
    raise SystemExit("no error")
