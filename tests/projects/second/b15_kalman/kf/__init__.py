from .filter import KalmanFilter
from .state import State
