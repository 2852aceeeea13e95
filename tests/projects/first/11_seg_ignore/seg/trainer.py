import torch


class Trainer:
    def __init__(self, model, criterion, lr):
        self.model, self.criterion = model, criterion
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr)
        self.hooks = []

    def add_hook(self, fn):
        self.hooks.append(fn)

    def step(self, batch):
        img, tgt = batch
        self.opt.zero_grad(set_to_none=True)
        loss = self.criterion(self.model(img), tgt)
        loss.backward()
        self.opt.step()
        for h in self.hooks:
            h(self, loss.item())
