import argparse
import torch

from diffusion import Denoiser, GaussianDiffusion
from ema import EMA


def main(argv=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=6)
    ap.add_argument("--log-every", type=int, default=3)
    ap.add_argument("--lr", type=float, default=1e-3)
    args = ap.parse_args(argv)

    torch.manual_seed(0)
    torch.set_num_threads(1)
    model, diff = Denoiser(), GaussianDiffusion()
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
    ema = EMA(model)

    def preview():
        with ema.average_parameters() as m:
            s = diff.sample(m, 8)
        return s.std().item()

    for step in range(1, args.steps + 1):
        x0 = torch.randn(32, 2)
        x0[:, 1] *= 0.1
        loss = diff.training_loss(model, x0)
        if step % args.log_every == 0:
            print(f"step {step} loss {loss.item():.4f} ema sample std {preview():.3f}")
        opt.zero_grad()
        loss.backward()
        opt.step()
        ema.update()


if __name__ == "__main__":
    main(["--steps", "6"])
