from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    n_envs: int = 4
    obs_dim: int = 5
    n_actions: int = 3
    hidden: int = 12
    window: int = 6
    gamma: float = 0.95
    lr: float = 3e-3
    iterations: int = 10
    entropy: float = 0.01
