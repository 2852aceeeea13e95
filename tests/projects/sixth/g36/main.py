import copy
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class WeightEMA(object):
    def __init__(self, model, ema_model, alpha=0.95):
        self.alpha = alpha
        self.params = list(model.state_dict().values())
        self.ema_params = list(ema_model.state_dict().values())
        for param, ema_param in zip(self.params, self.ema_params):
            param.data.copy_(ema_param.data)

    def step(self, global_step):
        alpha = min(1 - 1 / (global_step + 1), self.alpha)
        for param, ema_param in zip(self.params, self.ema_params):
            if ema_param.dtype == torch.float32:
                ema_param.mul_(alpha)
                ema_param.add_(param * (1.0 - alpha))
            else:
                ema_param.copy_(param)


class Net(nn.Module):
    def __init__(self, noise):
        super().__init__()
        self.noise = noise
        self.fc1, self.bn1 = nn.Linear(4, 24), nn.BatchNorm1d(24)
        self.fc2, self.bn2 = nn.Linear(24, 24), nn.BatchNorm1d(24)
        self.out = nn.Linear(24, 2)
        self.register_buffer("eps", torch.zeros(0))

    def forward(self, x):
        if self.training and self.noise:
            if self.eps.shape != x.shape:
                self.eps = torch.empty_like(x)
            self.eps.normal_(0, self.noise)
            x = x + self.eps
        h = F.leaky_relu(self.bn1(self.fc1(x)), 0.1, inplace=True)
        h = F.leaky_relu(self.bn2(self.fc2(h)), 0.1, inplace=True)
        return self.out(h)


def sigmoid_rampup(t, T):
    t = min(max(t, 0), T)
    phase = 1.0 - t / T
    return math.exp(-5.0 * phase * phase)


def two_moons(n):
    t = torch.rand(n) * math.pi
    y = torch.randint(0, 2, (n,))
    x = torch.zeros(n, 4)
    x[:, 0] = torch.cos(t)
    x[:, 1] = torch.sin(t)
    flip = y == 1
    x[flip, 0] = 1 - x[flip, 0]
    x[flip, 1] = 0.5 - x[flip, 1]
    return x, y


def main():
    torch.manual_seed(36)
    torch.set_num_threads(1)
    student = Net(0.1)
    teacher = copy.deepcopy(student)
    for p in teacher.parameters():
        p.detach_()
    opt = torch.optim.SGD(student.parameters(), 0.1, momentum=0.9, nesterov=True)
    ema = WeightEMA(student, teacher)
    for step in range(16):
        x, y = two_moons(48)
        y = y.clone()
        y[8:] = -1
        logits = student(x)
        with torch.no_grad():
            target = teacher(x).softmax(1)
            if step > 8:
                target.pow_(2).div_(target.sum(1, keepdim=True))  # sharpen
        w = 3.0 * sigmoid_rampup(step, 12)
        loss = F.cross_entropy(logits, y, ignore_index=-1)
        loss += w * F.mse_loss(logits.softmax(1), target)
        opt.zero_grad()
        loss.backward()
        opt.step()
        ema.step(step)
        if step % 5 == 0:
            print(step, f"{loss.item():.4f} w={w:.3f}")


if __name__ == "__main__":
    main()
