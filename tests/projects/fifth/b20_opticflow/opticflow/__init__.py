from .raft import SmallRAFT, sequence_loss  # noqa: F401
