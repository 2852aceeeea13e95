import torch
from mtl.losses import weighted_losses
from mtl.models import MultiTaskNet

TASKS = ['reg', 'cls', 'bin']


def make_batch(n=16):
    x = torch.randn(n, 8)
    y = {'reg': x[:, :2].sum(1), 'cls': x[:, 2:5].argmax(1), 'bin': (x[:, 5] > 0).float()}
    x += 0.01 * torch.randn_like(x)
    return x, y


class Runner:
    def __init__(self, tasks):
        self.net = MultiTaskNet(tasks)
        lrs = dict.fromkeys(tasks, 1e-2)
        lrs['cls'] = 5e-3
        self.opts = {t: torch.optim.Adam(self.net.task_parameters(t), lr=lrs[t]) for t in tasks}
        self.history = {t: torch.zeros(1) for t in tasks}

    def optimize(self, losses):
        names = list(losses)
        for t in names:
            self.opts[t].zero_grad()
            losses[t].backward(retain_graph=t != names[-1])
            self.opts[t].step()  # BUG

    def run(self, n):
        for i in range(n):
            x, y = make_batch()
            losses = weighted_losses(self.net, self.net(x), y)
            self.optimize(losses)
            for t, l in losses.items():
                self.history[t] += l.item()
            print(i, {t: round(l.item(), 3) for t, l in losses.items()})


if __name__ == '__main__':
    torch.manual_seed(0)
    torch.set_num_threads(1)
    Runner(TASKS).run(4)
