"""speechbrain 1.1.2, processing/multi_mic.py:644 and 645: beamforming weights are normalised into themselves.

`F_re**2` and `F_im**2` saved them. Raises where the covariances require grad. (Without the writes, backward would end
in `torch.unique`, which has no derivative.)
"""

import torch

covariances = torch.randn(2, 3, 4, 3, 2, requires_grad=True)
for line in (644, 645):
    Vs = covariances * 1.0
    F_re = Vs[..., 2, 0]
    F_im = Vs[..., 2, 1].clone()
    F_im_of_vs = Vs[..., 2, 1]
    if line == 645:
        F_re, F_im = F_re.clone(), F_im_of_vs
    F_norm = 1.0 / (torch.sum(F_re**2 + F_im**2, dim=2, keepdim=True) ** 0.5)
    if line == 644:
        F_re *= F_norm
    else:
        F_im *= F_norm
    try:
        (F_re + F_im).sum().backward()
    except RuntimeError as error:
        print(line, error)
    else:
        raise SystemExit(f"no error from line {line}")
