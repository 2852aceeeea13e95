"""Decides which files are checked with which settings, what imports mean, and what comments suppress."""

from .modules import Project
from .settings import Settings

__all__ = ["Project", "Settings"]
