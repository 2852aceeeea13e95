from .scaler import LossScaler
from .loop import run_epoch
from .meters import Meter
