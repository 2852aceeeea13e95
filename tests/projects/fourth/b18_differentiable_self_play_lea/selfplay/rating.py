import torch


class Elo:
    def __init__(self, k, threshold):
        self.k, self.threshold = k, threshold
        self.value = 1000.0
        self.win_rate = torch.zeros(())
        self.listeners = []

    def subscribe(self, fn):
        self.listeners.append(fn)

    def record(self, wins):
        rate = wins.float().mean()
        self.win_rate.mul_(0.5).add_(rate, alpha=0.5)
        self.value += self.k * (rate.item() - 0.5)
        if self.win_rate >= self.threshold:
            self.win_rate.zero_()
            for fn in self.listeners:
                fn(self.value)
