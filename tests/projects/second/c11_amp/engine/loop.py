import torch
import torch.nn.functional as F

from .meters import Meter


def run_epoch(model, opt, scaler, loader):
    meter = Meter()
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        meter.update(loss, len(x))
        opt.zero_grad()
        scaler.backward(loss)
        ok = scaler.unscale_(model.parameters())
        if ok:
            opt.step()
        scaler.update(ok)
    return meter.avg
