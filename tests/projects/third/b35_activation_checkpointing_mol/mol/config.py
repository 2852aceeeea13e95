from dataclasses import dataclass


@dataclass
class ModelConfig:
    n_atom_types: int = 5
    dim: int = 16
    n_interactions: int = 3
    n_rbf: int = 8
    cutoff: float = 4.0
    grad_checkpointing: bool = False
