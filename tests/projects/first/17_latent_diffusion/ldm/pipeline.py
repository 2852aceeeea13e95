import torch
import torch.nn.functional as F

from .autoencoder import AE
from .schedulers import DDPMScheduler
from .unet import TinyUNet


class LatentDiffusion:
    def __init__(self, cfg):
        self.ae, self.unet = AE(), TinyUNet(T=cfg["num_train_timesteps"])
        self.scheduler = DDPMScheduler.from_config(cfg)
        params = list(self.ae.parameters()) + list(self.unet.parameters())
        self.opt = torch.optim.AdamW(params, lr=1e-4)

    def training_step(self, x):
        latents = self.ae.encode(x)
        rec = F.mse_loss(self.ae.decode(latents), x)
        noise = torch.randn(latents.shape)
        t = torch.randint(0, self.scheduler.T, (x.size(0),))
        noisy = self.scheduler.add_noise(latents, noise, t)
        loss = F.mse_loss(self.unet(noisy, t), noise) + rec
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()

    @torch.no_grad()
    def sample(self, n):
        z = torch.randn(n, 4, 4, 4)
        for t in reversed(range(5)):
            z = self.scheduler.step(self.unet(z, torch.full((n,), t)), t, z)
        return self.ae.decode(z)
