from .transforms import Compose, Mixup, Normalize
