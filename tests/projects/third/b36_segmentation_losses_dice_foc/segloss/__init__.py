from .losses import build_loss
