from .model import SeqModel
from .train import truncated
