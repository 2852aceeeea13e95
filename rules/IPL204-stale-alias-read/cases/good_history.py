"""Each round makes a state of its own."""

import torch

state = torch.ones(3)
states = []
for _ in range(4):
    state = state * 0.5
    states.append(state)
kept = torch.ones(3)
for _ in range(4):
    kept.mul_(0.5)
    states.append(kept.clone())
path = torch.stack(states)
assert not torch.equal(path[0], path[-1])
