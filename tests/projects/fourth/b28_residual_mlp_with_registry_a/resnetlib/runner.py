import torch
import torch.nn.functional as F


class Runner:
    def __init__(self, model, cfg):
        self.model, self.cfg = model, cfg
        self.opt = torch.optim.AdamW(model.parameters(), lr=cfg["lr"])
        self.hooks, self.iter = [], 0
        self.w = torch.randn(4, 2)

    def register(self, *hooks):
        self.hooks.extend(hooks)

    def batch(self):
        x = torch.randn(16, 4)
        y = (x @ self.w).clamp_(-2, 2)
        return x, y

    def run(self):
        self.model.train()
        while self.iter < self.cfg["max_iters"]:
            for h in self.hooks:
                h.before_iter(self)
            x, y = self.batch()
            loss = F.mse_loss(self.model(x), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            for h in self.hooks:
                h.after_iter(self)
            if self.iter % self.cfg["interval"] == 0:
                print(self.iter, round(loss.item(), 4))
            self.iter += 1
