"""speechbrain 1.1.2, inference/VAD.py:155 (writes on lines 207, 210 and 215).

With `overlap_small_chunk=True` the probabilities are weighted by a window in place, through a view of what sigmoid
saved. Raises for a model loaded with `freeze_params=False`; nothing there switches gradients off.
"""

import torch

logits = torch.randn(3, 9, 1, requires_grad=True)
probabilities = torch.sigmoid(logits)[:, :-1, :]
window = torch.hamming_window(probabilities.shape[1])
half = probabilities.shape[1] // 2
probabilities[0, half:] = probabilities[0, half:] * window[half:].unsqueeze(1)
try:
    probabilities.sum().backward()
except RuntimeError as error:
    print(207, error)
else:
    raise SystemExit("no error from line 207")
