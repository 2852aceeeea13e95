from __future__ import print_function

import torch
import torch.utils.data
from torch import nn, optim
from torch.autograd import Variable
from torch.nn import functional as F

torch.manual_seed(1)
torch.set_num_threads(1)


class VAE(nn.Module):
    def __init__(self):
        super(VAE, self).__init__()
        self.fc1 = nn.Linear(25, 40)
        self.fc21 = nn.Linear(40, 4)
        self.fc22 = nn.Linear(40, 4)
        self.fc3 = nn.Linear(4, 40)
        self.fc4 = nn.Linear(40, 25)
        self.relu = nn.ReLU(inplace=True)
        self.sigmoid = nn.Sigmoid()

    def encode(self, x):
        h1 = self.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparametrize(self, mu, logvar):
        std = logvar.mul(0.5).exp_()
        eps = torch.FloatTensor(std.size()).normal_()
        eps = Variable(eps)
        return eps.mul(std).add_(mu)

    def decode(self, z):
        h3 = self.relu(self.fc3(z))
        return self.sigmoid(self.fc4(h3))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 25))
        z = self.reparametrize(mu, logvar)
        return self.decode(z), mu, logvar


def loss_function(recon_x, x, mu, logvar):
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, 25), reduction='sum')
    # 0.5 * sum(1 + log(sigma^2) - mu^2 - sigma^2)
    KLD_element = mu.pow(2).add_(logvar.exp()).mul_(-1).add_(1).add_(logvar)
    KLD = torch.sum(KLD_element).mul_(-0.5)
    return BCE + KLD


def blobs(n):
    img = torch.zeros(n, 5, 5)
    for i in range(n):
        r = int(torch.randint(0, 4, (1,)))
        c = int(torch.randint(0, 4, (1,)))
        img[i, r:r + 2, c:c + 2] = 1
    return img.add_(0.05 * torch.rand(n, 5, 5)).clamp_(0, 1)


model = VAE()
optimizer = optim.Adam(model.parameters(), lr=3e-3)
train_data = blobs(128)


def train(epoch):
    model.train()
    train_loss = 0
    for batch_idx in range(0, 128, 32):
        data = Variable(train_data[batch_idx:batch_idx + 32])
        optimizer.zero_grad()
        recon_batch, mu, logvar = model(data)
        loss = loss_function(recon_batch, data, mu, logvar)
        loss.backward()
        train_loss += loss.item()
        optimizer.step()
    print('====> Epoch: {} Average loss: {:.4f}'.format(epoch, train_loss / 128))


def test():
    model.eval()
    with torch.no_grad():
        recon, mu, logvar = model(train_data)
        recon.sub_(train_data.view(-1, 25)).abs_()
    print('====> Test l1: {:.4f}'.format(recon.mean().item()))


for epoch in range(1, 5):
    train(epoch)
    test()
