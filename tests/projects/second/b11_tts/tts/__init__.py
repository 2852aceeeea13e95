from .duration import LengthRegulator
from .acoustic import Acoustic
