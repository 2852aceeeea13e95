import torch
import torch.nn.functional as F


class Diffusion:
    def __init__(self, model, schedule, steps):
        self.model, self.schedule, self.steps = model, schedule, steps

    def loss(self, x0):
        t = torch.randint(self.steps, (x0.size(0),))
        noise = torch.randn_like(x0)
        a, b = self.schedule.coeffs(t)
        xt = a[:, None] * x0 + b[:, None] * noise
        return F.mse_loss(self.model(xt, t), noise)
