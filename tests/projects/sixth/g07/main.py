import torch
import torch.nn as nn

from moco import MoCo


def encoder(dim):
    return nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(inplace=True), nn.Linear(32, dim))


def augment(x):
    x = x.clone()
    x.mul_(1 + 0.1 * torch.randn(x.size(0), 1)).add_(torch.randn_like(x), alpha=0.05)
    drop = torch.rand_like(x) < 0.1
    x[drop] = 0
    return x


def main():
    torch.manual_seed(2)
    torch.set_num_threads(1)
    model = MoCo(encoder)
    opt = torch.optim.SGD(model.encoder_q.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    ce = nn.CrossEntropyLoss()
    data = torch.randn(64, 10)
    for epoch in range(3):
        for i in range(0, 64, 16):
            x = data[i:i + 16]
            logits, target = model(augment(x), augment(x))
            loss = ce(logits, target)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, f"{loss.item():.4f}", int(model.queue_ptr))


if __name__ == "__main__":
    main()
