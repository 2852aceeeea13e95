"""diffusers 0.42.1, `rescale_zero_terminal_snr` of 13 schedulers: two writes to the result that sqrt saved.

Raises only where `betas` require grad (a learned noise schedule); the schedulers pass plain tensors.
"""

import torch


def rescale_zero_terminal_snr(betas: torch.Tensor, shift: bool, scale: bool) -> torch.Tensor:
    alphas_bar_sqrt = torch.cumprod(1.0 - betas, dim=0).sqrt()
    first, last = alphas_bar_sqrt[0].clone(), alphas_bar_sqrt[-1].clone()
    if shift:
        alphas_bar_sqrt -= last
    if scale:
        alphas_bar_sqrt *= first / (first - last)
    alphas_bar = alphas_bar_sqrt**2
    return 1 - torch.cat([alphas_bar[0:1], alphas_bar[1:] / alphas_bar[:-1]])


for shift, scale in ((True, False), (False, True)):
    betas = torch.linspace(0.0001, 0.02, 10).requires_grad_()
    try:
        rescale_zero_terminal_snr(betas, shift, scale)[:-1].sum().backward()
    except RuntimeError as error:
        print(error)
    else:
        raise SystemExit("no error")
