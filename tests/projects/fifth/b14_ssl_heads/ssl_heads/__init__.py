from .swav import SwAVHead  # noqa: F401
