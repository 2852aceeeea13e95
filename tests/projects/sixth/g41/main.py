import torch
import torch.nn as nn

from kfac import KFAC


def main():
    torch.manual_seed(41)
    torch.set_num_threads(1)
    net = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3))
    opt = KFAC(net)
    x = torch.randn(64, 5)
    y = x[:, :3].argmax(1)
    for it in range(8):
        logits = net(x)
        # Fisher with sampled labels, its own graph pass
        with torch.no_grad():
            fake = torch.multinomial(logits.softmax(1), 1).squeeze(1)
        opt.collect = True
        opt.zero_grad()
        nn.functional.cross_entropy(logits, fake).backward(retain_graph=True)
        opt.collect = False
        opt.zero_grad()
        loss = nn.functional.cross_entropy(logits, y)
        loss.backward()
        opt.step()
        if it % 2 == 0:
            print(it, round(loss.item(), 4))


if __name__ == "__main__":
    main()
