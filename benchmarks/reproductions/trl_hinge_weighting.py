"""trl 1.16.0, trainer/dpo_trainer.py:1526: the hinge loss is weighted in place after relu saved it.

With `loss_type="hinge"` and `use_weighting=True`. With `"sft"` the same line writes to an expanded tensor.
"""

import torch
import torch.nn.functional as F

logps = torch.randn(4, requires_grad=True)
weights = torch.rand(4)

delta_score = logps - 0.5
per_sequence_loss = torch.relu(1 - 0.1 * delta_score)
per_sequence_loss *= weights
try:
    per_sequence_loss.mean().backward()
except RuntimeError as error:
    print("hinge:", error)
else:
    raise SystemExit("no error from hinge")

batch_loss = -F.logsigmoid(logps).mean()
per_sequence_loss = batch_loss.expand(4)
try:
    per_sequence_loss *= weights
except RuntimeError as error:
    print("sft:", error)
else:
    raise SystemExit("no error from sft")
