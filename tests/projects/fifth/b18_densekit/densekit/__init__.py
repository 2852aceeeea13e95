from .net import DenseNet  # noqa: F401
