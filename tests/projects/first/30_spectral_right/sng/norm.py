import torch
import torch.nn as nn
import torch.nn.functional as F


class SpectralNorm:
    """Hook on the forward; like torch's, u and v are cloned after the power iteration."""

    def __init__(self, name="weight", n=1, eps=1e-12):
        self.name, self.n, self.eps = name, n, eps

    def compute_weight(self, module, do_power_iteration):
        w = getattr(module, self.name + "_orig")
        u, v = getattr(module, self.name + "_u"), getattr(module, self.name + "_v")
        mat = w.flatten(1)
        if do_power_iteration:
            with torch.no_grad():
                for _ in range(self.n):
                    v.copy_(F.normalize(torch.mv(mat.t(), u), dim=0, eps=self.eps))
                    u.copy_(F.normalize(torch.mv(mat, v), dim=0, eps=self.eps))
                u = u.clone()
                v = v.clone()
        sigma = torch.dot(u, torch.mv(mat, v))
        return w / sigma

    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module, module.training))

    @staticmethod
    def apply(module, name="weight"):
        fn = SpectralNorm(name)
        w = module._parameters.pop(name)
        mat = w.flatten(1)
        module.register_parameter(name + "_orig", w)
        setattr(module, name, w.data)
        module.register_buffer(name + "_u", F.normalize(torch.randn(mat.size(0)), dim=0))
        module.register_buffer(name + "_v", F.normalize(torch.randn(mat.size(1)), dim=0))
        module.register_forward_pre_hook(fn)
        return module


def sn(module):
    return SpectralNorm.apply(module)
