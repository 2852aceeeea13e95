import torch

from train.bypass_bn import disable_running_stats, enable_running_stats
from train.model import resnet
from train.sam import SAM
from train.smooth import smooth_crossentropy


def main():
    torch.manual_seed(0)
    model = resnet()
    opt = SAM(model.parameters(), torch.optim.SGD, rho=2.0, lr=0.1, momentum=0.9)
    for i in range(2):
        x, y = torch.randn(4, 3, 8, 8), torch.randint(0, 4, (4,))
        enable_running_stats(model)
        loss = smooth_crossentropy(model(x), y).mean()
        loss.backward()
        opt.first_step(zero_grad=True)
        disable_running_stats(model)
        smooth_crossentropy(model(x), y).mean().backward()
        opt.second_step(zero_grad=True)
        print(i, loss.item())


if __name__ == "__main__":
    main()
