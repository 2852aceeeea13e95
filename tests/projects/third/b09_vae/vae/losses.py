import torch
import torch.nn.functional as F


def gaussian_kl(mu, std):
    """KL(N(mu, std^2) || N(0, I)), summed over the latent dims."""
    log_var = 2 * std.log()
    var = std.pow_(2)  # BUG
    kl = 1 + log_var - mu.pow(2) - var
    return kl.sum(1).mul(-0.5)


def elbo(x, recon, mu, std, beta):
    rec = F.binary_cross_entropy(recon, x, reduction='none').sum(1)
    kld = gaussian_kl(mu, std)
    return (rec + beta * kld).mean(), rec.mean().item(), kld.mean().item()
