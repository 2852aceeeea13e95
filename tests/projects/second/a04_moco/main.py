import torch
from torch import nn

from augment import two_views
from moco import MoCo


def main():
    encoder = nn.Sequential(nn.Linear(10, 32), nn.ReLU(inplace=True), nn.Linear(32, 16))
    model = MoCo(encoder)
    criterion = nn.CrossEntropyLoss()
    opt = torch.optim.SGD(model.encoder_q.parameters(), lr=0.03, momentum=0.9)
    for _ in range(2):
        im_q, im_k = two_views(torch.randn(8, 10))
        logits, labels = model(im_q, im_k)
        loss = criterion(logits, labels)
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()
