from .world import World  # noqa: F401
