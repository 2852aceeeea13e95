from .interaction import INTERACTIONS, make_interaction
from .model import DeepFM
