from .net import SRNet  # noqa: F401
