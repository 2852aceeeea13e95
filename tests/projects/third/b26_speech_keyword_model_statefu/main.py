import math
import torch
from kws.features import LogMel
from kws.model import StreamingGRU
from kws.trainer import Trainer


def tone(labels, n=1024):
    t = torch.arange(n) / 1000.0
    wav = torch.sin(2 * math.pi * (50 * (labels + 1).float())[:, None] * t)
    wav += 0.1 * torch.randn_like(wav)
    return wav


if __name__ == '__main__':
    torch.manual_seed(0)
    torch.set_num_threads(1)
    trainer = Trainer(LogMel(), StreamingGRU())
    for ep in range(3):
        labels = torch.randint(0, 4, (6,))
        print(ep, trainer.train_utterances(tone(labels), labels))
