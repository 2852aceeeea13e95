from .model import IncrementalDecoder  # noqa: F401
