import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable


def norms(z):
    return z.view(z.size(0), -1).norm(dim=1)[:, None, None, None]


def attack_pgd(model, X, y, epsilon, alpha, iters, restarts, norm="linf"):
    max_loss = torch.zeros(y.shape[0])
    max_delta = torch.zeros_like(X)
    for _ in range(restarts):
        delta = torch.zeros_like(X)
        delta.uniform_(-epsilon, epsilon)
        delta.data = torch.max(torch.min(1 - X, delta.data), 0 - X)
        delta.requires_grad = True
        for _ in range(iters):
            output = model(X + delta)
            index = torch.where(output.max(1)[1] == y)[0]
            if len(index) == 0:
                break
            loss = F.cross_entropy(output, y)
            loss.backward()
            grad = delta.grad.detach()
            d = delta[index, :, :, :]
            g = grad[index, :, :, :]
            if norm == "linf":
                d = torch.clamp(d + alpha * torch.sign(g), -epsilon, epsilon)
            else:
                d = d + alpha * g / (norms(g) + 1e-10)
                d *= epsilon / norms(d).clamp(min=epsilon)
            d = torch.max(torch.min(1 - X[index], d), 0 - X[index])
            delta.data[index, :, :, :] = d.data
            delta.grad.zero_()
        with torch.no_grad():
            all_loss = F.cross_entropy(model(X + delta), y, reduction="none")
            better = all_loss >= max_loss
            max_delta[better] = delta.detach()[better]
            max_loss = torch.max(max_loss, all_loss)
    return max_delta


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.c1 = nn.Conv2d(1, 6, 3, padding=1)
        self.c2 = nn.Conv2d(6, 8, 3, padding=1)
        self.fc = nn.Linear(8 * 4, 3)

    def forward(self, x):
        x = F.relu(F.max_pool2d(self.c1(x), 2), inplace=True)
        x = F.relu(F.max_pool2d(self.c2(x), 2), inplace=True)
        return self.fc(x.view(x.size(0), -1))


def synth(n):
    y = torch.randint(0, 3, (n,))
    X = torch.rand(n, 1, 8, 8) * 0.3
    for i in range(n):
        X[i, 0, 2 * y[i]:2 * y[i] + 2] += 0.5
    return X, y


def main():
    torch.manual_seed(31)
    torch.set_num_threads(1)
    model = Net()
    opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(4):
        X, y = synth(24)
        X, y = Variable(X), Variable(y)
        model.eval()
        delta = attack_pgd(model, X, y, 0.1, 0.04, 3, 2, "linf" if epoch % 2 == 0 else "l2")
        model.train()
        Xa = X.clone()
        Xa[::2] += delta[::2]
        loss = F.cross_entropy(model(Xa), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(epoch, round(loss.item(), 4))


if __name__ == "__main__":
    main()
