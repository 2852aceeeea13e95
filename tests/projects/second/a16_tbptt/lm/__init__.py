from .model import LM
from .engine import Engine
