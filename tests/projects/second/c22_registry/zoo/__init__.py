from .registry import MODELS, build
from . import models
