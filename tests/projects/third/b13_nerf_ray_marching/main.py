import torch
from nerf.network import TinyNeRF
from nerf.rendering import march


def get_rays(H, W, focal):
    i, j = torch.meshgrid(torch.arange(W).float(), torch.arange(H).float(), indexing='xy')
    dirs = torch.stack([(i - W * .5) / focal, -(j - H * .5) / focal, -torch.ones_like(i)], -1)
    dirs /= dirs.norm(dim=-1, keepdim=True)
    origin = torch.tensor([0., 0., 2.]).expand(dirs.shape)
    return origin.reshape(-1, 3), dirs.reshape(-1, 3)


def config():
    return dict(lrate=5e-3, n_iters=5, N_rand=32, lrate_decay=0.9, white_bkgd=True)


def train():
    cfg = config()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = TinyNeRF()
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg['lrate'])
    ro, rd = get_rays(8, 8, 8.)
    target = torch.rand(64, 3)
    for i in range(cfg['n_iters']):
        sel = torch.randperm(64)[:cfg['N_rand']]
        rgb, acc = march(model, ro[sel], rd[sel], white_bkgd=cfg['white_bkgd'])
        loss = ((rgb - target[sel]) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for g in optimizer.param_groups:
            g['lr'] *= cfg['lrate_decay']
        print(f'[TRAIN] Iter: {i} Loss: {loss.item():.4f} acc {acc.mean().item():.3f}')


if __name__ == '__main__':
    train()
