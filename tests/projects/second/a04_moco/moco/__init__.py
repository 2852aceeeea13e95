from .builder import MoCo
from .queue import Queue
