from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Cfg:
    seed: int = 0
    samples: int = 48
    size: int = 8
    channels: int = 4
    batch: int = 8
    epochs: int = 2
    lr: float = 0.05
    loader: str = "plain"


_PRESETS = {"plain": Cfg(), "static": replace(Cfg(), loader="static")}


def get_cfg(name):
    return _PRESETS[name]
