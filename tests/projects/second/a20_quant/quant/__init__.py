from .ste import RoundSTE, quantize
from .modules import QLinear, convert
