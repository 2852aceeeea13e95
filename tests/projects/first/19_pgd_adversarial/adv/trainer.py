import torch
import torch.nn.functional as F

from .attacks import ATTACKS


class TradesTrainer:
    def __init__(self, model, attack="pgd", beta=6.0, lr=0.01):
        self.model, self.beta = model, beta
        self.attack = ATTACKS[attack](model)
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)

    def clean(self, x, y):
        logits = self.model(x)
        return logits, F.cross_entropy(logits, y)

    def robust(self, logits, x_adv):
        return F.kl_div(F.log_softmax(self.model(x_adv), 1), F.softmax(logits, 1), reduction="batchmean")

    def step(self, x, y):
        logits, nat = self.clean(x, y)
        x_adv = self.attack.perturb(x, y)
        loss = nat + self.beta * self.robust(logits, x_adv)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()
