from dataclasses import dataclass, fields


@dataclass
class RunConfig:
    optimizer: str = "plain"
    strategy: str = "summed"
    lr: float = 1e-2
    steps: int = 10
    momentum: float = 0.0

    @classmethod
    def parse(cls, line):
        kinds = {f.name: f.type for f in fields(cls)}
        out = {}
        for tok in line.split():
            k, v = tok.split("=", 1)
            kind = kinds[k]
            out[k] = kind(v)
        return cls(**out)
