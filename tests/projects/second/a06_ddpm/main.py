import torch

from ddpm import CosineSchedule, Diffusion, TinyUNet

if __name__ == "__main__":
    steps = 50
    net = TinyUNet(4)
    diffusion = Diffusion(net, CosineSchedule(steps), steps)
    opt = torch.optim.AdamW(net.parameters(), 2e-4)
    for it in range(2):
        loss = diffusion.loss(torch.randn(16, 4))
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
