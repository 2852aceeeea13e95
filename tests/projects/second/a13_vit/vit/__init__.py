from .embed import PatchEmbed
from .model import ViT, vit_tiny
