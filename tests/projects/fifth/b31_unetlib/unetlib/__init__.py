from .unet import DeepSupervisionLoss, UNet  # noqa: F401
