import torch


class SchedulerMixin:
    @classmethod
    def from_config(cls, cfg):
        return cls(**cfg)


class DDPMScheduler(SchedulerMixin):
    def __init__(self, num_train_timesteps=50, beta_start=1e-4, beta_end=0.02):
        self.T = num_train_timesteps
        self.betas = torch.linspace(beta_start, beta_end, self.T)
        self.alphas_cumprod = torch.cumprod(1.0 - self.betas, 0)

    def add_noise(self, sample, noise, t):
        a = self.alphas_cumprod[t].sqrt()
        s = (1 - self.alphas_cumprod[t]).sqrt()
        while a.dim() < sample.dim():
            a, s = a.unsqueeze(-1), s.unsqueeze(-1)
        return sample.mul_(a).add_(s * noise)  # BUG

    @torch.no_grad()
    def step(self, eps, t, sample):
        b, ac = self.betas[t], self.alphas_cumprod[t]
        sample.sub_(b / (1 - ac).sqrt() * eps).div_((1 - b).sqrt())
        if t > 0:
            sample.add_(b.sqrt() * torch.randn_like(sample))
        return sample
