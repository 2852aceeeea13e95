# gumbel-sinkhorn networks, learning to sort
import torch
import torch.nn as nn


def sample_gumbel(shape, eps=1e-20):
    U = torch.rand(shape)
    return -torch.log(eps - torch.log(U + eps))


def sinkhorn(log_alpha, n_iters=20):
    # log_alpha: [batch, n, n]
    n = log_alpha.size(1)
    log_alpha = log_alpha.reshape(-1, n, n)
    for i in range(n_iters):
        rows = torch.logsumexp(log_alpha, dim=2, keepdim=True)
        log_alpha -= rows
        cols = torch.logsumexp(log_alpha, dim=1, keepdim=True)
        log_alpha -= cols  # BUG
    return torch.exp(log_alpha)


def gumbel_sinkhorn(log_alpha, temp=1.0, noise_factor=1.0, n_iters=20):
    noise = sample_gumbel(log_alpha.shape) * noise_factor
    return sinkhorn((log_alpha + noise) / temp, n_iters)


class SortNet(nn.Module):
    def __init__(self, n, hidden=32):
        super(SortNet, self).__init__()
        self.g1 = nn.Linear(1, hidden)
        self.g2 = nn.Linear(hidden, n)

    def forward(self, x):
        # every number is processed on its own
        b, n = x.shape
        h = torch.relu(self.g1(x.view(-1, 1)))
        return self.g2(h).view(b, n, n)


def train():
    torch.manual_seed(0)
    n, batch = 5, 32
    model = SortNet(n)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    criterion = nn.MSELoss()
    for it in range(10):
        X = torch.rand(batch, n)
        y, _ = X.sort(dim=1)
        log_alpha = model(X)
        P = gumbel_sinkhorn(log_alpha, temp=1.0, noise_factor=0.1)
        X_hat = torch.matmul(P.transpose(1, 2), X.unsqueeze(-1)).squeeze(-1)
        loss = criterion(X_hat, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if it % 5 == 0:
            print(it, loss.item())


if __name__ == '__main__':
    train()
