import torch
import torch.nn as nn

from inst.bank import MemoryBank
from inst.callbacks import BankUpdate, LRWarmup
from inst.trainer import Trainer

if __name__ == "__main__":
    torch.manual_seed(0)
    data = torch.randn(32, 10)
    net = nn.Sequential(nn.Linear(10, 16), nn.ReLU(inplace=True), nn.Linear(16, 8))
    bank = MemoryBank(32, 8)
    loader = [(data[i], i) for i in torch.randperm(32).view(4, 8)]
    Trainer(net, bank, [BankUpdate(bank), LRWarmup(3)]).fit(loader)
