import torch
import torch.nn.functional as F

import vit


def main(name="vit_tiny"):
    model = getattr(vit, name)(classes=4)
    opt = torch.optim.AdamW(model.parameters())
    for _ in range(1):
        loss = F.cross_entropy(model(torch.randn(2, 3, 16, 16)), torch.randint(4, (2,)))
        loss.backward()
        opt.step()


main()
