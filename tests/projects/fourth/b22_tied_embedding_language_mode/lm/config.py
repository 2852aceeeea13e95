from dataclasses import dataclass
from typing import Optional


@dataclass
class Config:
    vocab: int = 13
    context: int = 4
    dim: int = 8
    max_norm: Optional[float] = None
    tie: bool = False
    objectives: str = "forward"
    steps: int = 6
    lr: float = 5e-2

    @classmethod
    def from_dict(cls, d):
        unknown = set(d) - set(cls.__dataclass_fields__)
        if unknown:
            raise KeyError(f"unknown options: {sorted(unknown)}")
        return cls(**d)
