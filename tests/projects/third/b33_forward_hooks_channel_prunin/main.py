import torch
import torch.nn.functional as F
from pointcloud.pointnet import PointNetCls, transform_regularizer
from pointcloud.prune import ChannelPruner


def shapes(n, n_pts=24):
    label = torch.randint(0, 3, (n,))
    p = torch.randn(n, 3, n_pts)
    p /= p.norm(dim=1, keepdim=True)
    p[label == 1, 2] *= 0.2
    p[label == 2] = p[label == 2].clamp(-0.6, 0.6)
    p += 0.01 * torch.randn_like(p)
    return p, label


def main(epochs=4, prune_start=2):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net = PointNetCls()
    pruner = ChannelPruner(net, r'mlp\d\.act', ratio=0.25)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for epoch in range(epochs):
        if epoch >= prune_start:
            pruner.update_masks()
        for _ in range(2):
            pts, y = shapes(8)
            pred, trans = net(pts)
            loss = F.cross_entropy(pred, y)
            loss += 0.001 * transform_regularizer(trans)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print('epoch', epoch, loss.item())
    pruner.remove()


if __name__ == '__main__':
    main()
