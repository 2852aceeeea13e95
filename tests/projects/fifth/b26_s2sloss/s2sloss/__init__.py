from .criterion import build_criterion  # noqa: F401
