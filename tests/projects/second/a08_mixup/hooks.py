"""Forward hooks used for regularisation."""


class FeatureNoise:
    def __init__(self, scale):
        self.scale = scale
        self.handle = None

    def attach(self, module):
        self.handle = module.register_forward_hook(self)
        return self

    def __call__(self, module, inputs, output):
        if module.training:
            output.mul_(1 + self.scale)  # BUG

    def remove(self):
        self.handle.remove()
