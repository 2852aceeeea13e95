import torch
from topk import SAE, normalise_decoder_
from topk.utils import remove_parallel_grad_


def main():
    m = SAE(4, 10, 3)
    normalise_decoder_(m)
    opt, out = torch.optim.Adam(m.parameters()), []
    for _ in range(2):
        x = torch.randn(6, 4)
        rec, z = m(x)
        loss = (rec - x).square_().mean()
        opt.zero_grad()
        loss.backward()
        remove_parallel_grad_(m)
        out += [loss, z.detach()] + [p.grad.clone() for p in m.parameters()]
        opt.step()
        normalise_decoder_(m)
    return out


if __name__ == "__main__":
    main()
