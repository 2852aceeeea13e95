from .inner import adapt
from .outer import Reptile
