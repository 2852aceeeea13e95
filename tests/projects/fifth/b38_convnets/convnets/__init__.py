from .vae import ConvVAE, elbo_loss  # noqa: F401
