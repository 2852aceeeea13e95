import torch

from . import utils
from .loss import sinkhorn


def train_one_epoch(student, teacher, crit, loader, opt, momentum, epoch):
    for it, views in enumerate(loader):
        for g in opt.param_groups:
            g["lr"] = 0.01
        masks = [utils.random_mask(v.size(0), v.size(1)) for v in views]
        s = [student(v, m) for v, m in zip(views, masks)]
        with torch.no_grad():
            t = [teacher(v) for v in views]
        loss = crit(s, t)
        loss = loss - 0.1 * (sinkhorn(t[0]) * s[1].log_softmax(-1)).sum(-1).mean()
        opt.zero_grad()
        loss.backward()
        utils.clip_gradients(student, 3.0)
        utils.cancel_last_layer(epoch, student, 1)
        opt.step()
        with torch.no_grad():
            m = momentum[it]
            for q, k in zip(student.parameters(), teacher.parameters()):
                k.data.mul_(m).add_((1 - m) * q.detach().data)
    return loss.item()
