from .modules import GatedMLP, Mixer, build_act  # noqa: F401
