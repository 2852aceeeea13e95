"""Which files are checked, with which settings, what their imports mean, and what their comments silence."""

from .modules import Project
from .settings import Settings

__all__ = ["Project", "Settings"]
