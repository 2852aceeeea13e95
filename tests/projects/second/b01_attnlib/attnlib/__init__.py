from .attention import ATTENTION, build_attention
from .base import BaseAttention
