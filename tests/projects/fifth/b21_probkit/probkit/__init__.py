from .dist import LogitNormal, LogNormal, Normal, TransformedDistribution, monte_carlo_kl  # noqa: F401
