from .heads import HEADS, build_head
from .losses import detection_loss
