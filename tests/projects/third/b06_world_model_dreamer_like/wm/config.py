from dataclasses import dataclass


@dataclass
class Config:
    obs_dim: int = 6
    act_dim: int = 2
    deter: int = 16
    stoch: int = 8
    hidden: int = 24
    seq_len: int = 5
    batch_size: int = 4
    free_nats: float = 1.0
    kl_scale: float = 0.1
    lr: float = 1e-3
    steps: int = 3
