from .dice import DiceLoss
from .focal import FocalLoss
from .combo import ComboLoss
