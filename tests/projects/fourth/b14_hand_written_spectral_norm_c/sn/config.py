from dataclasses import dataclass, fields


@dataclass
class Experiment:
    critic: str = "plain"
    width: int = 16
    steps: int = 10
    lr: float = 1e-3
    power_iters: int = 1
    loss: str = "hinge"
    seed: int = 0

    @classmethod
    def from_string(cls, text):
        types = {f.name: type(f.default) for f in fields(cls)}
        kw = {}
        for part in text.split(";"):
            k, v = part.strip().split("=")
            kw[k] = types[k](v)
        return cls(**kw)
