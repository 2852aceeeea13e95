import torch

from tied.fit import Fit
from tied.label import LabelSmoothing
from tied.optim import LARS
from tied.transformer import Decoder

if __name__ == "__main__":
    torch.manual_seed(0)
    V = 11
    model = Decoder(V)
    fit = Fit(model, LabelSmoothing(V, 0), LARS(model.parameters(), 0.5))
    loader = []
    for _ in range(3):
        s = torch.randint(1, V, (4, 7))
        s[:, -2:] = 0
        loader.append((s[:, :-1], s[:, 1:]))
    for l in fit.epoch(loader):
        print(l)
