"""pyro-ppl 1.9.2, distributions/gaussian_scale_mixture.py:104 and 105: `log_prob` subtracts from logsumexp's result.

logsumexp saves its result. Every use in inference raises, for a distribution whose parameters are learned.
"""

import math

import torch

coord_scale = torch.rand(3).add(0.5).requires_grad_()
component_logits = torch.randn(2, requires_grad=True)
component_scale = torch.rand(2).add(0.5).requires_grad_()
value = torch.randn(3)

for line in (104, 105):
    epsilon_sqr = torch.pow(value / coord_scale, 2.0).sum()
    component_scale_log_power = component_scale.log() * -3
    result = torch.logsumexp(
        component_scale_log_power
        + torch.log_softmax(component_logits, -1)
        + -0.5 * epsilon_sqr / torch.pow(component_scale, 2.0),
        dim=-1,
    )
    if line == 104:
        result -= 0.5 * math.log(2.0 * math.pi) * float(3)
    else:
        result -= coord_scale.log().sum()
    try:
        result.backward()
    except RuntimeError as error:
        print(line, error)
    else:
        raise SystemExit(f"no error from line {line}")
