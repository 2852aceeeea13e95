import torch
import torch.nn as nn
from networks import Generator, Discriminator

torch.manual_seed(42)
batch_size = 32
nz = 16
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

netG = Generator(nz).to(device)
netD = Discriminator().to(device)
criterion = nn.BCELoss()
optimizerG = torch.optim.Adam(netG.parameters(), lr=2e-4, betas=(0.5, 0.999))
optimizerD = torch.optim.Adam(netD.parameters(), lr=2e-4, betas=(0.5, 0.999))

real_data = torch.tanh(torch.randn(256, 56))
ones = torch.ones(batch_size, 1, device=device)
zeros = torch.zeros(batch_size, 1, device=device)

for epoch in range(2):
    for i in range(0, len(real_data), batch_size):
        real = real_data[i:i + batch_size].to(device)
        noise = torch.randn(batch_size, nz, device=device)
        fake = netG(noise)

        # losses
        loss_real = criterion(netD(real), ones)
        loss_fake = criterion(netD(fake.detach()), zeros)
        d_loss = 0.5 * (loss_real + loss_fake)
        g_loss = criterion(netD(fake), ones)

        # update D
        optimizerD.zero_grad()
        d_loss.backward()
        optimizerD.step()  # BUG

        # update G
        optimizerG.zero_grad()
        g_loss.backward()
        optimizerG.step()

    print("[%d] d_loss %.4f g_loss %.4f" % (epoch, d_loss.item(), g_loss.item()))
