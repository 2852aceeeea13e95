from .codebook import Codebook
from .model import VQVAE
