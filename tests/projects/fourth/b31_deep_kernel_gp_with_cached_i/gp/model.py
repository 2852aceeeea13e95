import torch
import torch.nn as nn


class DeepKernelGP(nn.Module):
    def __init__(self, kernel, inducing, feat):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(1, 12), nn.Tanh(), nn.Linear(12, feat))
        self.kernel = kernel
        self.z = nn.Parameter(torch.randn(inducing, feat))
        self.m = nn.Parameter(torch.zeros(inducing))
        self.log_s = nn.Parameter(torch.full((inducing,), -1.0))

    def feature_parameters(self):
        return list(self.features.parameters())

    def variational_parameters(self):
        return [self.z, self.m, self.log_s]

    def predict(self, x):
        kzz = self.kernel.inducing_cov(self.z)
        kxz = self.kernel.cov(self.features(x), self.z)
        a = torch.linalg.solve(kzz, kxz.t())
        return a.t() @ self.m

    def kl(self):
        kzz = self.kernel.inducing_cov(self.z)
        s = (2 * self.log_s).exp()
        inv_m = torch.linalg.solve(kzz, self.m)
        trace = torch.linalg.inv(kzz).diagonal() @ s
        return 0.5 * (trace + self.m @ inv_m - len(self.m) + kzz.logdet() - 2 * self.log_s.sum())
