from dataclasses import dataclass, replace


@dataclass
class ModelConfig:
    vocab: int = 11
    dim: int = 16
    heads: int = 2
    layers: int = 2
    max_len: int = 12
    position: str = "learned"
    qk_norm: bool = False


_base = ModelConfig()
MODEL_PRESETS = {
    "learned-small": _base,
    "rotary-small": replace(_base, position="rotary"),
    "rotary-qknorm": replace(_base, position="rotary", qk_norm=True),
}
