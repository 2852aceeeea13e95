from .cache import KVCache
from .attention import CausalAttention
from .decoder import Decoder
