from .denoiser import MLPDenoiser  # noqa: F401
from .sampler import DDIM, DDPM, build_sampler  # noqa: F401
