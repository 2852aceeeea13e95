import torch

from .losses import get_loss
from .models import MODELS


class BaseTrainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.nets, self.opts = {}, {}
        for key, cls in MODELS.items():
            self.nets[key] = cls(cfg)
            self.opts[key] = torch.optim.Adam(self.nets[key].parameters(), lr=cfg["lr"], betas=(0.5, 0.999))
        self.crit = get_loss(cfg["loss"])

    def optimize(self, key, loss, retain=False):
        self.opts[key].zero_grad()
        loss.backward(retain_graph=retain)
        self.opts[key].step()  # BUG

    def fit(self, loader):
        for i, real in enumerate(loader):
            logs = self.train_step(real)
            print(i, logs)


class GANTrainer(BaseTrainer):
    def train_step(self, real):
        G, D = self.nets["G"], self.nets["D"]
        z = torch.randn(real.size(0), self.cfg["z_dim"])
        fake = G(z)
        fake_logits = D(fake)
        real_logits = D(real)
        d_loss = self.crit.d(real_logits, fake_logits)
        g_loss = self.crit.g(fake_logits)
        # retain the graph, the generator uses the same logits
        self.optimize("D", d_loss, retain=True)
        self.optimize("G", g_loss)
        return {"d": float(d_loss), "g": float(g_loss)}
