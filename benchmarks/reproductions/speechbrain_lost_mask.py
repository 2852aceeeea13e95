"""speechbrain 1.1.2, lobes/models/Tacotron2.py:1439 and MSTacotron2.py:276: a mask is written into a clone.

Nobody holds the clone: the padding of `mel_outputs` stays as it was, though the lines after it mask the other outputs.
"""

import torch

mel_outputs = torch.ones(1, 2, 3)
mask = torch.tensor([[[False, False, True]]]).expand(1, 2, 3)
mel_outputs.clone().masked_fill_(mask, 0.0)
if not mel_outputs[0, 0, 2]:
    raise SystemExit("it was masked")
print("padding after the mask:", mel_outputs[0, :, 2].tolist())
