"""kornia 0.9.0, kornia/feature/sold2/sold2_detector.py:456 and 457: candidates are clamped into themselves.

`clamp` saves its input, a view of the candidates, which the assignment changes. Raises only where the
junctions require grad; `SOLD2_detector` itself finds them by `torch.where`, so it never hands over such junctions.
"""

import torch

junctions = torch.rand(6, 2, requires_grad=True)
line_segments = torch.stack([junctions[:3], junctions[3:]], 1)

for axis in (0, 1):
    candidates = line_segments.unsqueeze(dim=1) + torch.zeros(4, 2, 2)[None]
    candidates[..., axis] = torch.clamp(candidates[..., axis], min=0, max=7)
    try:
        candidates.sum().backward(retain_graph=True)
    except RuntimeError as error:
        print(error)
    else:
        raise SystemExit("no error")
