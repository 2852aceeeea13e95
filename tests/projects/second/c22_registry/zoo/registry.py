MODELS = {}


def register(fn=None, *, name=None):
    def wrap(obj):
        MODELS[name or obj.__name__.lower()] = obj
        return obj

    return wrap(fn) if fn is not None else wrap


def build(name, **kw):
    return MODELS[name](**kw)
