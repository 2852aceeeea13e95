class Registry(dict):
    def register(self, cls):
        self[cls.__name__] = cls
        return cls


QUANTIZERS = Registry()
LOSSES = Registry()


def build_from_cfg(cfg, registry):
    args = dict(cfg)
    return registry[args.pop("type")](**args)
