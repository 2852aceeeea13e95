from dataclasses import dataclass, field


@dataclass
class ModelConfig:
    channels: int = 8
    depth: int = 2
    gate_floor: float = 0.05


@dataclass
class TrainConfig:
    lr: float = 1e-3
    steps: int = 2
    model: ModelConfig = field(default_factory=ModelConfig)
