from .blocks import Block
from .acts import make_act
