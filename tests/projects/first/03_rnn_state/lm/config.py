from dataclasses import dataclass, field


@dataclass
class ModelConfig:
    vocab: int = 20
    emb: int = 16
    hidden: int = 24
    cell: str = "gru"


@dataclass
class TrainConfig:
    lr: float = 0.1
    bptt: int = 5
    batch: int = 4
    clip: float = 1.0
    retain_graph: bool = True
    model: ModelConfig = field(default_factory=ModelConfig)
