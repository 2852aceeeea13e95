from dataclasses import dataclass


@dataclass(frozen=True)
class TabConfig:
    cards: tuple = (3, 5)
    n_num: int = 2
    dim: int = 8
    out: int = 1
