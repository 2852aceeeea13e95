class FeatureTap:
    """Collects the outputs of named submodules."""

    def __init__(self, model, names):
        self.store = {}
        self.handles = []
        mods = dict(model.named_modules())
        for n in names:
            self.handles.append(mods[n].register_forward_hook(self._make(n)))

    def _make(self, name):
        def hook(module, args, out):
            self.store[name] = out

        return hook

    def pop(self):
        out, self.store = self.store, {}
        return out
