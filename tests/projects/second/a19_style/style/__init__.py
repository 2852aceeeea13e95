from .features import FeatureExtractor
from .loss import PerceptualLoss
