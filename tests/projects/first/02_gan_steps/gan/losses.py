import torch
import torch.nn.functional as F


class HingeLoss:
    def d(self, real, fake):
        return F.relu(1 - real).mean() + F.relu(1 + fake).mean()

    def g(self, fake):
        return -fake.mean()


class BCELoss:
    def d(self, real, fake):
        return (F.binary_cross_entropy_with_logits(real, torch.ones_like(real))
                + F.binary_cross_entropy_with_logits(fake, torch.zeros_like(fake)))

    def g(self, fake):
        return F.binary_cross_entropy_with_logits(fake, torch.ones_like(fake))


def get_loss(name):
    return {"hinge": HingeLoss, "bce": BCELoss}[name]()
