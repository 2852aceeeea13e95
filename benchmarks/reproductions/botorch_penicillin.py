"""botorch 0.18.1, test_functions/multi_objective.py:814 to 816: parts of the input are split off and written in place.

The simulation splits its input into columns and updates volume, biomass and glucose under a mask. Where the input
requires grad, as for an acquisition function that differentiates through the problem, the first update raises.
"""

import torch

inputs = torch.rand(5, 7, requires_grad=True)
volume, biomass, *_ = torch.split(inputs, 1, -1)
active = torch.ones_like(volume).bool()
try:
    volume[active] = volume[active] + 0.1 * biomass[active]
except RuntimeError as error:
    print(error)
else:
    raise SystemExit("no error")
