from .distiller import Distiller
from .hooks import FeatureTap
