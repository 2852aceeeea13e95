from .model import TextClassifier  # noqa: F401
