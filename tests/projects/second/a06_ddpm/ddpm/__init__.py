from .schedule import CosineSchedule
from .unet import TinyUNet
from .diffusion import Diffusion
