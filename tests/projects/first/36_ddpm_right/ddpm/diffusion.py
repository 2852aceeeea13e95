import torch
import torch.nn as nn


def cosine_betas(T, s=0.008):
    t = torch.linspace(0, T, T + 1) / T
    f = torch.cos((t + s) / (1 + s) * torch.pi / 2).pow_(2)
    f /= f[0].clone()
    return (1 - f[1:] / f[:-1]).clamp_(max=0.999)


class GaussianDiffusion(nn.Module):
    def __init__(self, T=20):
        super().__init__()
        self.T = T
        betas = cosine_betas(T)
        ac = (1 - betas).cumprod(0)
        for name, v in dict(betas=betas, ac=ac, sa=ac.sqrt(), sb=(1 - ac).sqrt()).items():
            self.register_buffer(name, v)
        self.register_buffer("loss_hist", torch.ones(T))

    def sample_t(self, n):
        w = self.loss_hist.sqrt()
        return torch.multinomial(w / w.sum(), n, replacement=True)

    @torch.no_grad()
    def record(self, t, losses):
        self.loss_hist[t] = 0.9 * self.loss_hist[t] + 0.1 * losses.detach()

    def q_sample(self, x0, t, noise):
        out = x0 * self.sa[t].view(-1, 1)
        out += self.sb[t].view(-1, 1) * noise
        return out

    def losses(self, model, x0):
        t = self.sample_t(x0.size(0))
        noise = torch.randn_like(x0)
        err = (model(self.q_sample(x0, t, noise), t) - noise).pow(2).mean(1)
        w = 1 / self.loss_hist[t]
        self.record(t, err)
        return (err * w).mean()

    @torch.no_grad()
    def p_sample_loop(self, model, shape):
        x = torch.randn(shape)
        for i in reversed(range(self.T)):
            eps = model(x, torch.full((shape[0],), i))
            x.sub_(self.betas[i] / self.sb[i] * eps).div_((1 - self.betas[i]).sqrt())
            if i:
                x.add_(torch.randn_like(x).mul_(self.betas[i].sqrt()))
        return x.clamp_(-1, 1)
