from dataclasses import dataclass


@dataclass
class Options:
    kernel: str = "rbf"
    inducing: int = 8
    steps: int = 10
    noise: float = 0.1
    beta: float = 0.1
