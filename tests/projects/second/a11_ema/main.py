import torch
from torch import nn

from callbacks import EMACallback
from ema import EMA
from trainer import Trainer

model = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 1))
data = [(torch.randn(6, 4), torch.randn(6, 1)) for _ in range(4)]
Trainer(model, [EMACallback(EMA(model))]).fit(data)
