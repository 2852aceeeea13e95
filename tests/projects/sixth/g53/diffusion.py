import torch
import torch.nn as nn


class Diffusion(nn.Module):
    def __init__(self, model, T=20):
        super().__init__()
        self.model, self.T = model, T
        beta = torch.linspace(1e-3, 0.2, T)
        alpha = 1 - beta
        bar = alpha.cumprod(0)
        for k, v in dict(beta=beta, alpha=alpha, bar=bar, sq=bar.sqrt(), sq1=(1 - bar).sqrt_()).items():
            self.register_buffer(k, v)
        self.register_buffer("loss_hist", torch.ones(T))

    def q_sample(self, x0, t, noise):
        out = x0 * self.sq[t, None]
        out.addcmul_(self.sq1[t, None], noise)
        return out

    def loss(self, x0):
        w = self.loss_hist / self.loss_hist.sum()
        t = torch.multinomial(w, x0.size(0), replacement=True)
        noise = torch.randn_like(x0)
        err = self.model(self.q_sample(x0, t, noise), t)
        err -= noise
        per = err.pow(2).mean(1)
        weight = 1 / (w[t] * self.T)
        with torch.no_grad():
            self.loss_hist[t] = self.loss_hist[t] * 0.9 + 0.1 * per.detach()
        return (weight * per).mean()

    @torch.no_grad()
    def sample(self, n, d):
        x = torch.randn(n, d)
        for t in reversed(range(self.T)):
            eps = self.model(x, torch.full((n,), t))
            x -= eps.mul_(self.beta[t] / self.sq1[t])
            x /= self.alpha[t].sqrt()
            if t:
                x += self.beta[t].sqrt() * torch.randn_like(x)
        return x
