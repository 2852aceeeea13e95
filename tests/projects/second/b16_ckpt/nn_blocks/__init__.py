from .residual import ResidualStack
from .utils import CallableChain
