from .cell import MinimalCell
from .model import CharModel
from .state import StateStore
