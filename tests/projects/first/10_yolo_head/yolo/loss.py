import torch
import torch.nn.functional as F


class ComputeLoss:
    def __init__(self, hyp):
        self.hyp = hyp

    def __call__(self, pred, target):
        tbox, tobj = target
        lbox = F.l1_loss(pred[..., :4], tbox)
        lobj = F.binary_cross_entropy(pred[..., 4].clamp(1e-6, 1 - 1e-6), tobj)
        loss = lbox * self.hyp["box"] + lobj * self.hyp["obj"]
        return loss, torch.stack((lbox, lobj)).detach()
