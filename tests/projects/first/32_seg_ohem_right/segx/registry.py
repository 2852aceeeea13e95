class Registry:
    def __init__(self, name):
        self.name, self._d = name, {}

    def register(self):
        def deco(cls):
            self._d[cls.__name__] = cls
            return cls
        return deco

    def build(self, cfg):
        cfg = dict(cfg)
        return self._d[cfg.pop("type")](**cfg)


LOSSES = Registry("loss")
MODELS = Registry("model")
