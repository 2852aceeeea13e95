from .encoder import Encoder  # noqa: F401
