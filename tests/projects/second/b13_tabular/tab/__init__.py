from .embeddings import FeatureTokenizer
from .model import TabTransformer
from .config import TabConfig
