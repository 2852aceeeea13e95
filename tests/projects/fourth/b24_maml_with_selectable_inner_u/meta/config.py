from dataclasses import dataclass


@dataclass
class HParams:
    updater: str = "sgd"
    inner_lr: float = 0.05
    inner_steps: int = 2
    momentum: float = 0.5
    meta_lr: float = 1e-3
    meta_batch: int = 2
    iterations: int = 5
