"""audiocraft 1.3.0, data/audio_utils.py:141: loudness normalisation clamps in place what tanh saved.

With `strategy="loudness"` and `loudness_compressor=True`, for audio through which gradients are wanted.
"""

import torch

wav = torch.randn(2, 100, requires_grad=True)
output = torch.tanh(1.5 * wav)
output.clamp_(-1, 1)
try:
    output.sum().backward()
except RuntimeError as error:
    print(error)
else:
    raise SystemExit("no error")
