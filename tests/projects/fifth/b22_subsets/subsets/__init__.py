from .l2x import L2X  # noqa: F401
from .relaxed import SubsetOperator, continuous_topk  # noqa: F401
