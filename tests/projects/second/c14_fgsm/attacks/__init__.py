from .pgd import PGD
from .base import Attack
