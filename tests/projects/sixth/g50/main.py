import torch
import torch.nn as nn

from crf import CRF


class Tagger(nn.Module):
    def __init__(self, vocab=12, d=10, h=12, tags=4):
        super().__init__()
        self.emb = nn.Embedding(vocab, d, padding_idx=0)
        self.rnn = nn.GRU(d, h, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(2 * h, tags)
        self.crf = CRF(tags)

    def emissions(self, x, mask):
        e = nn.functional.dropout(self.emb(x), 0.1, self.training, inplace=True)
        out, _ = self.rnn(e)
        em = self.fc(out)
        em.masked_fill_(~mask.unsqueeze(2), 0.0)
        return em


def batch(n, T=7):
    L = torch.randint(3, T + 1, (n,))
    x = torch.randint(1, 12, (n, T))
    mask = torch.arange(T) < L[:, None]
    x[~mask] = 0
    y = x.remainder(3)
    y[:, 1:] += (x[:, :-1] > 8).long()
    return x, y, mask


if __name__ == "__main__":
    torch.manual_seed(50)
    torch.set_num_threads(1)
    net = Tagger()
    opt = torch.optim.Adam(net.parameters(), 1e-2)
    for it in range(8):
        net.train()
        x, y, mask = batch(16)
        loss = net.crf(net.emissions(x, mask), y, mask)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if it % 3 == 0:
            net.eval()
            with torch.no_grad():
                paths = net.crf.viterbi(net.emissions(x, mask), mask)
            hit = sum(p == t for path, row in zip(paths, y.tolist()) for p, t in zip(path, row))
            print(it, round(loss.item(), 4), round(hit / int(mask.sum()), 3))
