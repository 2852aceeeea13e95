from .model import HMM  # noqa: F401
