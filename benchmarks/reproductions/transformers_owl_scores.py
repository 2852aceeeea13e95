"""transformers 5.23.0, image_processing_owlvit.py:223 and 240, image_processing_owlv2.py:233 and 250.

Post-processing zeroes elements of the scores that sigmoid saved. Raises only for a caller who keeps gradients
through the post-processing (it has no `torch.no_grad()` of its own).
"""

import torch

logits = torch.randn(1, 5, 3, requires_grad=True)

for line in (223, 240):
    scores = torch.sigmoid(torch.max(logits, dim=-1).values)
    if line == 223:
        scores[0][torch.tensor([False, True, False, False, True])] = 0.0
    else:
        query_scores = scores[0]
        query_scores[query_scores < 0.5] = 0.0
    try:
        scores.sum().backward()
    except RuntimeError as error:
        print(line, error)
    else:
        raise SystemExit(f"no error from line {line}")
