from .generator import Generator
from .discriminator import Discriminator

MODELS = {"G": Generator, "D": Discriminator}
