from .model import BYOL
from .target import TargetNetwork
