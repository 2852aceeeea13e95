import torch

from det.backbone import backbone
from det.head import AnchorFreeHead
from det.loss import DetLoss


def gt(b, n):
    xy = torch.rand(b, n, 2) * 10
    return torch.cat([xy, xy + 3 + torch.rand(b, n, 2) * 4], -1)


if __name__ == "__main__":
    torch.manual_seed(0)
    net, head, crit = backbone(), AnchorFreeHead(8, 2), DetLoss()
    opt = torch.optim.AdamW([*net.parameters(), *head.parameters()], 1e-3)
    for _ in range(2):
        loss = crit(head(net(torch.rand(2, 3, 16, 16))), gt(2, 3))
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(loss.item())
    print(head.detect(net(torch.rand(1, 3, 16, 16))))
