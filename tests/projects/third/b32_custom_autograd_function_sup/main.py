import argparse
import torch
import torch.nn.functional as F
from sr import EDSR


def degrade(hr, scale, sigma):
    lr = F.avg_pool2d(hr, scale)
    lr += sigma * torch.randn_like(lr)
    return lr.clamp_(0, 1)


def psnr(a, b):
    return (-10 * torch.log10((a - b).pow(2).mean())).item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--scale', type=int, default=2)
    p.add_argument('--n_resblocks', type=int, default=2)
    p.add_argument('--sigma', type=float, default=0.01)
    p.add_argument('--iters', type=int, default=4)
    opt = p.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net = EDSR(n_resblocks=opt.n_resblocks, scale=opt.scale)
    optim = torch.optim.Adam(net.parameters(), lr=1e-3)
    sched = torch.optim.lr_scheduler.StepLR(optim, 2, 0.5)
    for i in range(opt.iters):
        hr = torch.rand(2, 3, 16, 16)
        sr = net(degrade(hr, opt.scale, opt.sigma))
        loss = F.l1_loss(sr, hr)
        optim.zero_grad()
        loss.backward()
        optim.step()
        sched.step()
        print('[%d] l1 %.4f psnr %.2f' % (i, loss.item(), psnr(sr.detach(), hr)))


if __name__ == '__main__':
    main()
