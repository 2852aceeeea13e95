"""Every state in the list is the last one."""

import torch

state = torch.ones(3)
states = []
for _ in range(4):
    state.mul_(0.5)
    states.append(state)
path = torch.stack(states)  # expect: IPL204
assert torch.equal(path[0], path[-1])
