from .model import KGEConfig, KGEModel

__all__ = ["KGEConfig", "KGEModel"]
