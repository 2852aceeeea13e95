import torch
import torch.nn.functional as F

from models import ResNet


def main():
    torch.manual_seed(10)
    torch.set_num_threads(1)
    net = ResNet([2, 2])
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    images = torch.rand(24, 3, 8, 8)
    images.sub_(0.5).div_(0.25)
    labels = torch.randint(0, 4, (24,))
    for epoch in range(4):
        correct = 0
        for xb, yb in zip(images.split(8), labels.split(8)):
            logits = net(xb)
            loss = F.cross_entropy(logits, yb, label_smoothing=0.1)
            opt.zero_grad()
            loss.backward()
            opt.step()
            correct += (logits.argmax(1) == yb).sum().item()
        print(epoch, round(loss.item(), 4), correct)


if __name__ == "__main__":
    main()
