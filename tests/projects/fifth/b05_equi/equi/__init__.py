from .embed import EdgeEmbedding, EnergyReadout  # noqa: F401
