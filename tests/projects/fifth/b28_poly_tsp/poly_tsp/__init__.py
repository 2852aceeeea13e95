from .pointer import AttentionModel, reinforce_loss  # noqa: F401
