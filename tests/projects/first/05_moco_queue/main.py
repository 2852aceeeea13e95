import torch
import torch.nn as nn

from moco.aug import TwoCrops
from moco.builder import MoCo
from moco.encoder import Encoder


def train(loader, model, criterion, optimizer):
    for i, (a, b) in enumerate(loader):
        output, target = model(im_q=a, im_k=b)
        loss = criterion(output, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(i, loss.item())


if __name__ == "__main__":
    torch.manual_seed(0)
    crops = TwoCrops()
    loader = [crops(torch.randn(8, 16)) for _ in range(3)]
    model = MoCo(Encoder)
    opt = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.03)
    train(loader, model, nn.CrossEntropyLoss(), opt)
