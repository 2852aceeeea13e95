"""schnetpack 2.1.1, md/simulation_hooks/thermostats_rpmd.py:200 and 203: the global PILE thermostat, per bead.

The momenta of the centroid are squared for the kinetic energy, then scaled in place; so are the others. If the momenta
require grad, as where a trajectory is differentiated, each write raises alone.
"""

import torch

c1 = torch.rand(4, 1, 1)
masses = torch.ones(1, 3, 1)

for line in (200, 203):
    momenta = torch.randn(4, 3, 3, requires_grad=True) * 1.0
    energy = torch.sum(momenta[0][None] ** 2 / masses, dim=2, keepdim=True)
    alpha = torch.sqrt(c1[0] + (1 - c1[0]) / energy)
    if line == 200:
        momenta[0] = alpha[0] * momenta[0]
    else:
        momenta[1:] = c1[1:] * momenta[1:]
    try:
        (momenta.sum() + alpha.sum()).backward()
    except RuntimeError as error:
        print(line, error)
    else:
        raise SystemExit(f"no error from line {line}")
