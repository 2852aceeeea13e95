LOSSES = {}


def register_loss(name):
    def wrap(cls):
        if name in LOSSES:
            raise KeyError(name)
        LOSSES[name] = cls
        return cls
    return wrap
