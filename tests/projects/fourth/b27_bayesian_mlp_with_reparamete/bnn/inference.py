import torch


class Fit:
    def __init__(self, net, objective, lr):
        self.net, self.objective = net, objective
        groups = [
            {"params": [p for n, p in net.named_parameters() if n.endswith("rho")], "lr": 2 * lr},
            {"params": [p for n, p in net.named_parameters() if not n.endswith("rho")], "lr": lr},
        ]
        self.opt = torch.optim.Adam(groups)

    def step(self, x, y):
        loss = self.objective(self.net, x, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        with torch.no_grad():
            for l in self.net.layers:
                l.rho.clamp_(-8, 2)
        return loss.item()

    @torch.no_grad()
    def predict(self, x, n):
        ys = torch.stack([self.net(x) for _ in range(n)])
        return ys.mean(0), ys.std(0)
