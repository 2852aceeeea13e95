from .memory import MemoryBank
from .model import Encoder
