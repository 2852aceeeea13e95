from .layers import GATLayer
from .ops import scatter_softmax
