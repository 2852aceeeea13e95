import torch
import torch.nn.functional as F

from nets import D, G
from utils import add_instance_noise, clip_weights


def main(steps=2):
    g, d = G(4, 6), D(6)
    og, od = torch.optim.Adam(g.parameters(), 2e-4), torch.optim.Adam(d.parameters(), 2e-4)
    out = []
    for _ in range(steps):
        real = torch.rand(8, 6).mul_(2).sub_(1)
        fake = g(torch.randn(8, 4))
        ld = (
            F.softplus(-d(add_instance_noise(real, 0.1))).mean()
            + F.softplus(d(add_instance_noise(fake.detach(), 0.1))).mean()
        )
        od.zero_grad()
        ld.backward()
        od.step()
        clip_weights(d, 0.5)
        lg = F.softplus(-d(fake)).mean()
        og.zero_grad()
        lg.backward()
        out += [ld, lg] + [p.grad.clone() for p in g.parameters()]
        og.step()
    return out


if __name__ == "__main__":
    main()
