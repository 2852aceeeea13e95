from .render import rasterization  # noqa: F401
