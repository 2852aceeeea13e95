from dataclasses import dataclass


@dataclass
class GanConfig:
    z_dim: int = 4
    x_dim: int = 2
    batch: int = 16
    iters: int = 6
    lr: float = 2e-3
    gp: float = 1.0
    schedule: str = "critic,gen"

    @property
    def phase_names(self):
        return [s.strip() for s in self.schedule.split(",")]
