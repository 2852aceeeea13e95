# word LM in the pytorch/examples style, c. 2018
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable

torch.manual_seed(1111)
torch.set_num_threads(1)


def repackage_hidden(h):
    if isinstance(h, torch.Tensor):
        return h.detach()
    else:
        return list(repackage_hidden(v) for v in h)


class WeightDropGRU(nn.Module):
    def __init__(self, d, h, p):
        super(WeightDropGRU, self).__init__()
        self.wi = nn.Linear(d, 3 * h)
        self.raw_wh = nn.Parameter(torch.randn(3 * h, h) / math.sqrt(h))
        self.p, self.h = p, h

    def _setweights(self):
        self.wh = F.dropout(self.raw_wh, self.p, self.training)

    def forward(self, x, h):
        self._setweights()
        outs = []
        gi = self.wi(x)
        for t in range(x.size(0)):
            ir, iz, inn = gi[t].chunk(3, 1)
            hr, hz, hn = F.linear(h, self.wh).chunk(3, 1)
            r = (ir + hr).sigmoid_()
            z = (iz + hz).sigmoid_()
            n = torch.tanh(inn + r * hn)
            h = n + z * (h - n)
            outs.append(h)
        return torch.stack(outs), h


class RNNModel(nn.Module):
    def __init__(self, ntoken, ninp, nlayers):
        super(RNNModel, self).__init__()
        self.encoder = nn.Embedding(ntoken, ninp)
        self.rnns = nn.ModuleList([WeightDropGRU(ninp, ninp, 0.2) for _ in range(nlayers)])
        self.decoder = nn.Linear(ninp, ntoken)
        self.decoder.weight = self.encoder.weight
        self.encoder.weight.data.uniform_(-0.1, 0.1)
        self.decoder.bias.data.zero_()
        self.nlayers, self.ninp = nlayers, ninp

    def forward(self, input, hidden):
        x = self.encoder(input)
        x = F.dropout(x, 0.1, self.training, inplace=True)
        for i, rnn in enumerate(self.rnns):
            x, hidden[i] = rnn(x, hidden[i])
        return self.decoder(x), hidden, x

    def init_hidden(self, bsz):
        weight = next(self.parameters()).data
        return [Variable(weight.new(bsz, self.ninp).zero_()) for _ in range(self.nlayers)]


ntokens, bsz, bptt = 13, 8, 6
tok = torch.arange(8 * 81).remainder(ntokens)
tok[torch.rand(tok.numel()) < 0.1] = 0
train_data = tok.view(bsz, -1).t().contiguous()
model = RNNModel(ntokens, 16, 2)
criterion = nn.CrossEntropyLoss()
lr = 1.0
hidden = model.init_hidden(bsz)
total_loss = 0.
for batch, i in enumerate(range(0, train_data.size(0) - 1, bptt)):
    seq_len = min(bptt, train_data.size(0) - 1 - i)
    data, targets = train_data[i:i + seq_len], train_data[i + 1:i + 1 + seq_len].reshape(-1)
    hidden = repackage_hidden(hidden)
    if batch % 5 == 4:
        for h in hidden:
            h.zero_()
    model.zero_grad()
    output, hidden, raw = model(data, hidden)
    loss = criterion(output.view(-1, ntokens), targets)
    loss += 0.01 * (raw[1:] - raw[:-1]).pow(2).mean()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
    for p in model.parameters():
        p.data.add_(p.grad.data, alpha=-lr)
    total_loss += loss.item()
print('| ppl {:8.2f}'.format(math.exp(total_loss / (batch + 1))))
