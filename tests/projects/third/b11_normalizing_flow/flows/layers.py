import torch
import torch.nn as nn


class Bijector(nn.Module):
    def forward(self, x, logdet):
        raise NotImplementedError

    def inverse(self, y):
        raise NotImplementedError


class ActNorm(Bijector):
    def __init__(self, dim):
        super().__init__()
        self.loc = nn.Parameter(torch.zeros(dim))
        self.log_scale = nn.Parameter(torch.zeros(dim))
        self.register_buffer("initialized", torch.tensor(0, dtype=torch.uint8))

    @torch.no_grad()
    def initialize(self, x):
        self.loc.copy_(-x.mean(0))
        self.log_scale.copy_(-(x.std(0) + 1e-6).log())

    def forward(self, x, logdet):
        if self.initialized.item() == 0:
            self.initialize(x)
            self.initialized.fill_(1)
        return (x + self.loc) * self.log_scale.exp(), logdet + self.log_scale.sum()

    def inverse(self, y):
        return y * (-self.log_scale).exp() - self.loc


class Flip(Bijector):
    def forward(self, x, logdet):
        return x.flip(-1), logdet

    def inverse(self, y):
        return y.flip(-1)


class AffineCoupling(Bijector):
    def __init__(self, dim, hidden=32):
        super().__init__()
        self.d = dim // 2
        self.net = nn.Sequential(
            nn.Linear(self.d, hidden), nn.ReLU(inplace=True),
            nn.Linear(hidden, 2 * (dim - self.d)))
        self.net[-1].weight.data.normal_(0, 0.01)
        self.net[-1].bias.data.zero_()

    def _st(self, x):
        s, t = self.net(x[:, :self.d]).chunk(2, 1)
        return torch.tanh(s), t

    def forward(self, x, logdet):
        s, t = self._st(x)
        x[:, self.d:] = x[:, self.d:] * s.exp() + t  # BUG
        return x, logdet + s.sum(1)

    def inverse(self, y):
        s, t = self._st(y)
        y = y.clone()
        y[:, self.d:] = (y[:, self.d:] - t) * (-s).exp()
        return y
