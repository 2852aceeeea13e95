from .neck import FPN
from .blocks import ConvAct
