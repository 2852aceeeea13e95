import math
import torch
from biquad import Biquad

torch.manual_seed(0)


def lowpass(x, alpha=0.2):
    out = torch.zeros_like(x)
    prev = torch.zeros(x.size(0))
    for t in range(x.size(1)):
        prev = prev + alpha * (x[:, t] - prev)
        out[:, t] = prev
    return out


def log_mag(sig, n_fft=64):
    spec = torch.fft.rfft(sig * torch.hann_window(sig.size(1)), n=n_fft)
    return torch.log(spec.abs() + 1e-3)


noise = torch.randn(4, 64)
target = lowpass(noise)
filt = Biquad()
opt = torch.optim.Adam(filt.parameters(), lr=1e-2)
for it in range(5):
    opt.zero_grad()
    est = filt(noise)
    loss = (est - target).pow(2).mean() + 0.1 * (log_mag(est) - log_mag(target)).abs().mean()
    loss.backward()
    opt.step()
    print("iter %d  loss %.4f  snr %.2f dB" % (
        it, loss.item(), 10 * math.log10(target.pow(2).mean().item() / (est - target).pow(2).mean().item())))
