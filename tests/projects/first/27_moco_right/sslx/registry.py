METHODS = {}


def method(name):
    def deco(cls):
        METHODS[name] = cls
        return cls
    return deco


def build(cfg):
    return METHODS[cfg["method"]](cfg)
