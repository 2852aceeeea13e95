import torch


class EmaWeights:
    def __init__(self, model, decay):
        self.decay = decay
        self.shadow = {k: v.detach().clone() for k, v in model.named_parameters()}

    @torch.no_grad()
    def update(self, model):
        for k, v in model.named_parameters():
            self.shadow[k].mul_(self.decay).add_(v, alpha=1 - self.decay)


class Trainer:
    def __init__(self, model, objectives, cfg):
        self.model, self.objectives = model, objectives
        self.opt = torch.optim.Adagrad(list(model.groups(cfg.lr)))
        self.ema = EmaWeights(model, 0.9)

    def step(self, ids):
        total, parts = 0, {}
        for obj in self.objectives:
            value = obj(self.model, ids)
            total = total + value
            parts[obj.name] = value.item()
        self.opt.zero_grad()
        total.backward()
        self.opt.step()
        self.ema.update(self.model)
        return parts
