from .functional import rms
from .layers import RMSNorm, ScaleNorm
from .wrap import PreNorm, SandwichNorm
