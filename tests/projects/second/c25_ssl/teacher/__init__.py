from .dino import DINOLoss, DINO
