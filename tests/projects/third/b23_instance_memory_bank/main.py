import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from bank import Encoder, MemoryBank


class InstanceDataset(Dataset):
    def __init__(self, n):
        self.imgs = torch.rand(n, 1, 8, 8)

    def __len__(self):
        return len(self.imgs)

    def __getitem__(self, i):
        img = self.imgs[i].clone()
        img += 0.05 * torch.randn_like(img)
        img.clamp_(0, 1)
        return img, i


class AverageMeter(object):
    def __init__(self):
        self.sum, self.n = 0., 0

    def update(self, v, n=1):
        self.sum += v * n
        self.n += n

    @property
    def avg(self):
        return self.sum / max(self.n, 1)


def train_epoch(loader, net, bank, optimizer):
    meter = AverageMeter()
    for x, idx in loader:
        feat = net(x)
        loss = F.cross_entropy(bank(feat, idx), idx)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        bank.queue_update(idx, feat)
        meter.update(loss.item(), x.size(0))
    return meter.avg


if __name__ == '__main__':
    torch.manual_seed(0)
    torch.set_num_threads(1)
    data = InstanceDataset(32)
    net, bank = Encoder(), MemoryBank(len(data), 16)
    opt = torch.optim.SGD(net.parameters(), 0.03, momentum=0.9)
    for ep in range(2):
        print('epoch', ep, train_epoch(DataLoader(data, 8, shuffle=True), net, bank, opt))
