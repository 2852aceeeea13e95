from .model import GPT
