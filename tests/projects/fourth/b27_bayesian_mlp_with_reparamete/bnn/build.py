_TABLE = {}


def register(cls):
    _TABLE[cls.__name__] = cls
    return cls


def build(spec, *args):
    spec = dict(spec)
    return _TABLE[spec.pop("type")](*args, **spec)
