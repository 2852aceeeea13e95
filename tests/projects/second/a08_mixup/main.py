import torch
import torch.nn.functional as F

from data import Compose, Mixup, Normalize
from hooks import FeatureNoise
from net import Classifier


def main():
    tf = Compose(Normalize(0.1, 2.0), Mixup(0.3))
    model = Classifier(12, 5)
    FeatureNoise(0.01).attach(model.act)
    opt = torch.optim.SGD(model.parameters(), 0.1)
    model.train()
    for _ in range(2):
        x, y = tf(torch.randn(8, 12)), torch.randint(5, (8,))
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()


main()
