from .gaussian import GaussianDiffusion
from .sampler import sample
