from .norm import SpectralLinear
from .disc import Discriminator
