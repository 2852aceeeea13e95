from collections import defaultdict

_REGISTRY = defaultdict(list)


def on(event):
    def deco(fn):
        _REGISTRY[event].append(fn)
        return fn
    return deco


def fire(event, **ctx):
    for fn in _REGISTRY[event]:
        fn(**ctx)
