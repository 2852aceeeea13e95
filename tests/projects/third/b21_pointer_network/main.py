import torch
from torch.utils.data import DataLoader

from ptrnet.data import TSPDataset, tour_length
from ptrnet.model import PointerNet


def main(n_cities=5, epochs=2, beta=0.8):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net = PointerNet()
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    loader = DataLoader(TSPDataset(32, n_cities), batch_size=16)
    baseline = None
    for ep in range(epochs):
        for pts in loader:
            tour, logp = net(pts)
            L = tour_length(pts, tour)
            if baseline is None:
                baseline = L.mean()
            else:
                baseline.mul_(beta).add_((1 - beta) * L.mean())
            loss = ((L - baseline) * logp).mean()
            opt.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 2.0)
            opt.step()
        print('epoch %d tour %.3f' % (ep, L.mean()))


main()
