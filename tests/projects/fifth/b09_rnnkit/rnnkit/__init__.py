from .rnn import RNN  # noqa: F401
