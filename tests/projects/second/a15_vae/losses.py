import torch
import torch.nn.functional as F


def kl(mu, logvar):
    var = logvar.exp()
    logvar_term = logvar - var
    mu_term = mu.pow(2)
    return -0.5 * (1 + logvar_term - mu_term).sum(-1).mean()


def elbo(recon, x, mu, logvar, beta=1.0, eps=1e-6):
    recon.clamp_(eps, 1 - eps)  # BUG
    return F.binary_cross_entropy(recon, x) + beta * kl(mu, logvar)
