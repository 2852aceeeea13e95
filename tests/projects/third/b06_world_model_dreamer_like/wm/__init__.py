from .rssm import RSSM
from .config import Config
