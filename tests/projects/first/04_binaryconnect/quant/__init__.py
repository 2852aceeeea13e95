from .binop import BinOp
from .net import QNet
