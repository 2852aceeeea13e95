"""Tacotron2's padding mask is not applied to the mel outputs: it goes to a copy."""

import torch
from speechbrain.lobes.models.Tacotron2 import Tacotron2

model = Tacotron2(mask_padding=True)
mel = [torch.ones(2, 80, 5), torch.ones(2, 80, 5), torch.ones(2, 5), torch.ones(2, 5, 7)]
outputs = model.parse_output(mel, torch.tensor([5, 2]))
for name, one in zip(("mel_outputs", "mel_outputs_postnet"), outputs):
    print(f"{name}: padding is zero: {bool((one[1, :, 2:] == 0).all())}")
