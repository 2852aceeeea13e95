REGISTRY = {}


def register_module(cls):
    REGISTRY[cls.__name__] = cls
    return cls


def build_from_cfg(cfg, **defaults):
    kw = {**defaults, **cfg}
    return REGISTRY[kw.pop("type")](**kw)
