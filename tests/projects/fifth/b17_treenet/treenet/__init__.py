from .batching import TreeBatch, batch_levels  # noqa: F401
from .model import TreeLSTM  # noqa: F401
