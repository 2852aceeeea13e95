from .frontend import LogMel
from .encoder import Encoder
from .ctc import ctc_loss
