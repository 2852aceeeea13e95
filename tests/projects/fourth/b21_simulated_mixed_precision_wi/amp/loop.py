import torch
import torch.nn.functional as F


class Loop:
    def __init__(self, net, policy, lr):
        self.net, self.policy = net, policy
        self.params = list(net.parameters())
        self.opt = torch.optim.SGD(self.params, lr=lr, momentum=0.9)
        self.skipped = 0

    def step(self, x, y):
        self.opt.zero_grad()
        with self.policy.region():
            loss = F.mse_loss(self.net(x), y)
        self.policy.scale(loss).backward()
        ok = self.policy.unscale_(self.params)
        if ok:
            torch.nn.utils.clip_grad_norm_(self.params, 1.0)
            self.opt.step()
        else:
            self.skipped += 1
        self.policy.update(ok)
        return loss.item()
