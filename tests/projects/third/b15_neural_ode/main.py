import argparse

import torch
import torch.nn as nn

from odeint import odeint

parser = argparse.ArgumentParser('ODE demo')
parser.add_argument('--method', type=str, choices=['euler', 'midpoint', 'rk4'], default='midpoint')
parser.add_argument('--batch_time', type=int, default=5)
parser.add_argument('--niters', type=int, default=4)
args = parser.parse_args()

torch.manual_seed(0)
torch.set_num_threads(1)
true_A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])


class Lambda(nn.Module):
    def forward(self, t, y):
        return torch.mm(y ** 3, true_A)


class ODEFunc(nn.Module):
    def __init__(self):
        super(ODEFunc, self).__init__()
        self.net = nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 2))
        for m in self.net.modules():
            if isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, mean=0, std=0.1)
                nn.init.constant_(m.bias, val=0)

    def forward(self, t, y):
        return self.net(y)


t = torch.linspace(0., 2., 20)
with torch.no_grad():
    true_y = odeint(Lambda(), torch.tensor([[2., 0.]]), t, method='rk4', substeps=5)


def get_batch(bs=6):
    s = torch.randperm(len(t) - args.batch_time)[:bs]
    y = torch.stack([true_y[s + i, 0] for i in range(args.batch_time)])
    return true_y[s, 0], t[:args.batch_time], y


if __name__ == '__main__':
    func = ODEFunc()
    optimizer = torch.optim.RMSprop(func.parameters(), lr=1e-3)
    for itr in range(1, args.niters + 1):
        optimizer.zero_grad()
        batch_y0, batch_t, batch_y = get_batch()
        pred_y = odeint(func, batch_y0, batch_t, method=args.method)
        loss = torch.mean(torch.abs(pred_y - batch_y))
        loss.backward()
        optimizer.step()
        print('Iter {:04d} | Total Loss {:.6f}'.format(itr, loss.item()))
