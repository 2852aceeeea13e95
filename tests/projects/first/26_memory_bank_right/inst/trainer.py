import torch
import torch.nn.functional as F


class Trainer:
    def __init__(self, net, bank, callbacks, lr=0.05, k=8, T=0.1):
        self.net, self.bank, self.k, self.T = net, bank, k, T
        self.base_lr = lr
        self.opt = torch.optim.SGD(net.parameters(), lr=lr)
        self.callbacks = callbacks

    def emit(self, event):
        for c in self.callbacks:
            getattr(c, event)(self)

    def fit(self, loader):
        for x, idx in loader:
            self.index = idx
            self.emit("on_batch_begin")
            self.features = F.normalize(self.net(x), dim=1)
            logits = self.bank.logits(self.features, idx, self.k, self.T)
            loss = F.cross_entropy(logits, torch.zeros(x.size(0), dtype=torch.long))
            self.emit("on_loss")
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.emit("on_batch_end")
            print(loss.item())
