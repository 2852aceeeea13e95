from .convert import hsv_to_rgb, rgb_to_hsv, rgb_to_luma  # noqa: F401
from .jitter import ColorJitter  # noqa: F401
