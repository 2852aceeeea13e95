import torch
import torch.nn as nn
from torch.autograd import grad

torch.manual_seed(1234)
torch.set_num_threads(1)

nu = 0.01 / 3.14159265


class PINN(nn.Module):
    def __init__(self, layers=(2, 20, 20, 1)):
        super(PINN, self).__init__()
        self.linears = nn.ModuleList([nn.Linear(layers[i], layers[i + 1]) for i in range(len(layers) - 1)])
        for l in self.linears:
            nn.init.xavier_normal_(l.weight)
            nn.init.zeros_(l.bias)

    def forward(self, x):
        for l in self.linears[:-1]:
            x = torch.tanh(l(x))
        return self.linears[-1](x)


class Domain:
    """Space-time box.  x in [-1, 1], t in [0, T]"""

    def __init__(self, T=0.99, n_f=50, n_u=20):
        self.T = T
        self.n_f = n_f
        self.n_u = n_u

    def collocation(self):
        X = torch.rand(self.n_f, 2)
        X[:, 0] = 2 * X[:, 0] - 1
        X[:, 1] *= self.T
        X.requires_grad_(True)
        return self.normalise(X)

    def initial(self):
        X = torch.zeros(self.n_u, 2)
        X[:, 0] = torch.linspace(-1, 1, self.n_u)
        u = -torch.sin(3.14159265 * X[:, :1])
        return self.normalise(X), u

    def normalise(self, X):
        # map time to [-1, 1] as well
        X[:, 1].div_(self.T / 2).sub_(1.0)  # BUG
        return X


def residual(net, X, T):
    u = net(X)
    du = grad(u, X, torch.ones_like(u), create_graph=True)[0]
    u_x, u_t = du[:, 0:1], du[:, 1:2]
    u_t = u_t * (2 / T)
    u_xx = grad(u_x, X, torch.ones_like(u_x), create_graph=True)[0][:, 0:1]
    return u_t + u * u_x - nu * u_xx


def main():
    net = PINN()
    dom = Domain()
    X_u, u0 = dom.initial()
    X_f = dom.collocation()
    opt = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=5)
    history = []

    def closure():
        opt.zero_grad()
        loss_u = ((net(X_u) - u0) ** 2).mean()
        loss_f = residual(net, X_f, dom.T).pow(2).mean()
        loss = loss_u + loss_f
        loss.backward()
        history.append(loss.item())
        return loss

    for it in range(3):
        opt.step(closure)
        print('iter', it, 'loss', history[-1])


if __name__ == '__main__':
    main()
