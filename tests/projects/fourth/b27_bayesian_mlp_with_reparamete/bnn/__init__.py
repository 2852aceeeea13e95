from . import layers, nets, objectives  # noqa: F401
