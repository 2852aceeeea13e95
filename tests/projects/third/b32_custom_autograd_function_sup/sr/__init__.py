from .edsr import EDSR
