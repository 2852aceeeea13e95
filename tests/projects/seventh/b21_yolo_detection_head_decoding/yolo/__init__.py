from .head import Detect
