import torch
import torch.nn as nn
from moco import MoCo


def augment(x):
    noise = 0.1 * torch.randn_like(x)
    flip = (torch.rand(x.size(0), 1) > 0.5).float()
    return flip * x.flip(1) + (1 - flip) * x + noise


def train(loader, model, criterion, optimizer, epoch):
    total = 0.
    for images in loader:
        output, target = model(im_q=augment(images), im_k=augment(images))
        loss = criterion(output, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print('Epoch {}: loss {:.3f}'.format(epoch, total / len(loader)))


def main():
    torch.manual_seed(3)
    enc = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 16))
    model = MoCo(enc)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.encoder_q.parameters(), lr=0.03, momentum=0.9)
    data = torch.randn(64, 20)
    loader = [data[i:i + 16] for i in range(0, 64, 16)]
    for epoch in range(2):
        train(loader, model, criterion, optimizer, epoch)


if __name__ == '__main__':
    main()
