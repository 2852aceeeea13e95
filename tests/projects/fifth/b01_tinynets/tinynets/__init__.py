from . import mobile  # noqa: F401  (fills the registry)
from .registry import create_model

__all__ = ["create_model"]
