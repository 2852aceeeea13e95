from .pooling import StatsPool, AttentivePool
from .aam import AAMSoftmax
