from dataclasses import dataclass, replace

import torch


@dataclass(frozen=True)
class Position:
    me: torch.Tensor
    them: torch.Tensor
    turn: int = 0

    def flipped(self):
        return replace(self, me=self.them, them=self.me)

    def view(self):
        return torch.cat([self.me, self.them, self.them - self.me], dim=-1)


class PursuitGame:
    """The learner wants to get close, the opponent wants to get away."""

    def __init__(self, turns):
        self.turns = turns

    def start(self, n):
        p = torch.randn(2, n, 2)
        p[1] += 1.0
        return Position(p[0], p[1])

    def play(self, first, second, n):
        pos = self.start(n)
        for t in range(self.turns):
            pos = replace(pos, me=pos.me + 0.3 * first(pos.view()), turn=t)
            pos = replace(pos, them=pos.them + 0.2 * second(pos.flipped().view()))
            yield pos

    @staticmethod
    def distance(pos):
        return (pos.me - pos.them).pow(2).sum(-1).add(1e-6).sqrt()
