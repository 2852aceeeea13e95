from .attention import AttnConfig, RotaryAttention
from .rotary import RotaryEmbedding

__all__ = ["AttnConfig", "RotaryAttention", "RotaryEmbedding"]
