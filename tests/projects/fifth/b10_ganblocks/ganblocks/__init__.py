from .discriminator import HingeGANLoss, ProjectionDiscriminator  # noqa: F401
