import torch
import torch.nn as nn
from yolo.model import Model

CFG = {
    'nc': 3,
    'width': 4,
    'anchors': [[4, 4, 8, 8], [12, 12, 20, 20]],
}


class ComputeLoss:
    def __init__(self, balance=(4.0, 1.0)):
        self.bce = nn.BCEWithLogitsLoss()
        self.balance = balance

    def __call__(self, preds):
        lobj = torch.zeros(1)
        lcls = torch.zeros(1)
        for p, w in zip(preds, self.balance):
            tobj = torch.zeros_like(p[..., 4])
            tobj[:, :, 0, 0] = 1.0
            lobj += self.bce(p[..., 4], tobj) * w
            t = torch.full_like(p[:, :, 0, 0, 5:], 0.0)
            t[..., 1] = 1.0
            lcls += self.bce(p[:, :, 0, 0, 5:], t)
        return lobj + lcls


def train():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = Model(CFG)
    compute_loss = ComputeLoss()
    opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.937, nesterov=True)
    for i in range(3):
        imgs = torch.randint(0, 255, (2, 3, 32, 32)).float()
        imgs /= 255.0
        loss = compute_loss(model(imgs))
        loss.backward()
        opt.step()
        opt.zero_grad()
        print(i, loss.item())


if __name__ == '__main__':
    train()
