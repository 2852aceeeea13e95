import torch
import torch.nn.functional as F


class QATRunner:
    def __init__(self, net, cfg):
        self.net, self.cfg = net, cfg
        decay, no_decay = [], []
        for n, p in net.named_parameters():
            (no_decay if n.endswith("bias") else decay).append(p)
        self.opt = torch.optim.SGD(
            [{"params": decay, "weight_decay": 1e-4}, {"params": no_decay}], lr=cfg["lr"], momentum=0.9)
        self.history = []

    def fit(self, batches):
        for i, (x, y) in enumerate(batches):
            if i == self.cfg["freeze_after"]:
                for obs in self.net.observers():
                    if hasattr(obs, "ema_scale"):
                        obs.enabled = False
            self.net.train()
            loss = F.mse_loss(self.net(x), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.history.append(round(loss.item(), 4))
