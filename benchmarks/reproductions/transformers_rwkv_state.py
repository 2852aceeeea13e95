"""transformers 5.23.0, models/rwkv/modeling_rwkv.py:280, 281 and 282: the cache is read by attention, then written.

Views of `state` are operands of `maximum` and of two products whose other factor requires grad; all of them are
saved. With `use_cache=True` (the default in eval mode) and gradients recorded, each write raises alone.
"""

import torch

layer_id = 0


def attention(
    time_first: torch.Tensor, key: torch.Tensor, state: tuple[torch.Tensor, ...]
) -> tuple[torch.Tensor, list[torch.Tensor]]:
    num_state, den_state, max_state = state
    max_for_output = torch.maximum(max_state, key + time_first)
    e1 = torch.exp(max_state - max_for_output)
    e2 = torch.exp(key + time_first - max_for_output)
    numerator = e1 * num_state + e2 * key
    denominator = e1 * den_state + e2
    return numerator / denominator, [numerator, denominator, max_for_output]


for written in (0, 1, 2):
    time_first = torch.randn(4, requires_grad=True)
    key = torch.randn(2, 4, requires_grad=True)
    state = [torch.zeros(2, 4, 3) for _ in range(3)]
    rwkv, layer_state = attention(time_first, key, tuple(s[:, :, layer_id] for s in state))
    state[written][:, :, layer_id] = layer_state[written]
    try:
        rwkv.sum().backward()
    except RuntimeError as error:
        print(280 + written, error)
    else:
        raise SystemExit(f"no error from line {280 + written}")
