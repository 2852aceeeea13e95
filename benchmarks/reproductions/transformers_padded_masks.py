"""transformers 5.23.0, `_pad_images_to_max_in_batch` of seven models: rows of a fresh tensor are written in a loop.

models/eomt/modeling_eomt.py:393, eomt_dinov3 762, mask2former 547, maskformer 1172 (modular 636), oneformer 432,
videomt 667. Iterating makes several views by one op, which may not be written once a gradient comes in. Raises
only where the mask labels require grad.
"""

import torch

tensors = [torch.rand(2, 3, 3, requires_grad=True), torch.rand(1, 4, 4, requires_grad=True)]
padded_tensors = torch.zeros(2, 2, 4, 4)

try:
    for tensor, padded_tensor in zip(tensors, padded_tensors, strict=True):
        padded_tensor[: tensor.shape[0], : tensor.shape[1], : tensor.shape[2]].copy_(tensor)
except RuntimeError as error:
    print(error)
else:
    raise SystemExit("no error")
