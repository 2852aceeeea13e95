from .router import TopKRouter
from .layer import MoELayer
