import torch
import torch.nn as nn


class Biquad(nn.Module):
    def __init__(self):
        super().__init__()
        self.b = nn.Parameter(torch.tensor([1.0, 0.0, 0.0]))
        self.a_raw = nn.Parameter(torch.zeros(2))

    @property
    def a(self):
        # keep poles inside the unit circle
        a1 = 2 * torch.tanh(self.a_raw[0])
        a2 = ((2 - a1.abs()) * torch.tanh(self.a_raw[1]) + a1.abs()) / 2
        return a1, a2

    def forward(self, x):
        B, T = x.shape
        b0, b1, b2 = self.b
        a1, a2 = self.a
        xp = torch.nn.functional.pad(x, (2, 0))
        y = torch.zeros(B, T + 2)
        for n in range(2, T + 2):
            ff = b0 * xp[:, n] + b1 * xp[:, n - 1] + b2 * xp[:, n - 2]
            fb = a1 * y[:, n - 1] + a2 * y[:, n - 2]
            y[:, n] = ff - fb  # BUG
        return y[:, 2:]
