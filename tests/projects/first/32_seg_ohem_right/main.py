import torch

from segx import losses, models  # noqa: F401
from segx.metric import ConfusionMatrix
from segx.registry import LOSSES, MODELS

CFG = {"model": {"type": "FCN", "classes": 3},
       "losses": [{"type": "OhemCE", "weight": 1.0}, {"type": "FocalTversky", "weight": 0.4}]}

if __name__ == "__main__":
    torch.manual_seed(0)
    net = MODELS.build(CFG["model"])
    crits = []
    for c in CFG["losses"]:
        c = dict(c)
        w = c.pop("weight")
        crits.append((w, LOSSES.build(c)))
    opt, cm = torch.optim.SGD(net.parameters(), 0.1), ConfusionMatrix(3)
    for _ in range(2):
        y = torch.randint(0, 3, (2, 6, 6))
        y[:, 0] = 255
        pad = torch.zeros(2, 6, 6, dtype=torch.bool)
        pad[:, -1] = True
        out, aux = net(torch.randn(2, 1, 6, 6), pad)
        loss = 0
        for w, c in crits:
            loss += w * (c(out, y) + 0.3 * c(aux, y))
        opt.zero_grad()
        loss.backward()
        opt.step()
        cm.update(out.argmax(1).flatten(), y.flatten())
    print(loss.item(), cm.miou())
