class Registry:
    def __init__(self, name):
        self.name = name
        self._items = {}

    def register(self, key):
        def wrap(cls):
            self._items[key] = cls
            return cls

        return wrap

    def build(self, cfg):
        cfg = dict(cfg)
        return self._items[cfg.pop("type")](**cfg)
