from .observers import EmaObserver, MinMaxObserver


class ObserverFactory:
    """Builds observers from config; one entry per role ("weight", "act")."""

    kinds = {"minmax": MinMaxObserver, "ema": EmaObserver}

    def __init__(self, cfg):
        self.cfg = cfg
        self._built = {}

    def __call__(self, role):
        if role not in self._built:
            args = dict(self.cfg[role])
            self._built[role] = self.kinds[args.pop("kind")](**args)
        return self._built[role]
