from .registry import METHODS, build
from . import moco  # noqa: F401
