from .renderer import Field, VolumeRenderer  # noqa: F401
