import torch


class GradCAM:
    def __init__(self, model, layer):
        self.model = model
        self.act = self.grad = None
        layer.register_forward_hook(self.fwd)
        layer.register_full_backward_hook(self.bwd)

    def fwd(self, mod, inp, out):
        self.act = out.detach()

    def bwd(self, mod, gin, gout):
        self.grad = gout[0].detach()

    def __call__(self, x, k):
        score = self.model(x)[:, k].sum()
        score.backward()
        cam = (self.act * self.grad.mean((2, 3), keepdim=True)).sum(1)
        cam.relu_()
        cam /= cam.amax((1, 2), keepdim=True) + 1e-6
        return cam
