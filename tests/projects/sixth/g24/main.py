"""Pointer-ish captioner: decoder with attention, preallocated outputs, shrinking batch."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence

torch.manual_seed(24)
torch.set_num_threads(1)
VOCAB, PAD = 12, 0


class Attention(nn.Module):
    def __init__(self, enc, dec, att):
        super(Attention, self).__init__()
        self.e = nn.Linear(enc, att)
        self.d = nn.Linear(dec, att)
        self.full = nn.Linear(att, 1)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, enc, h):
        s = self.e(enc)
        s += self.d(h).unsqueeze(1)
        alpha = F.softmax(self.full(self.relu(s)).squeeze(2), dim=1)
        return (enc * alpha.unsqueeze(2)).sum(1), alpha


class Decoder(nn.Module):
    def __init__(self, enc=6, emb=8, dec=16, att=8):
        super(Decoder, self).__init__()
        self.attention = Attention(enc, dec, att)
        self.embedding = nn.Embedding(VOCAB, emb)
        self.cell = nn.LSTMCell(emb + enc, dec)
        self.init_h, self.init_c = nn.Linear(enc, dec), nn.Linear(enc, dec)
        self.f_beta = nn.Linear(dec, enc)
        self.fc = nn.Linear(dec, VOCAB)
        self.embedding.weight.data.uniform_(-0.1, 0.1)

    def forward(self, enc, caps, lens):
        lens, order = lens.sort(descending=True)
        enc, caps = enc[order], caps[order]
        emb = self.embedding(caps)
        m = enc.mean(1)
        h, c = self.init_h(m), self.init_c(m).tanh_()
        dl = (lens - 1).tolist()
        preds = torch.zeros(enc.size(0), max(dl), VOCAB)
        alphas = torch.zeros(enc.size(0), max(dl), enc.size(1))
        for t in range(max(dl)):
            bt = sum(l > t for l in dl)
            awe, alpha = self.attention(enc[:bt], h[:bt])
            gate = self.f_beta(h[:bt]).sigmoid_()
            awe = gate * awe
            h, c = self.cell(torch.cat([emb[:bt, t], awe], 1), (h[:bt], c[:bt]))
            preds[:bt, t, :] = self.fc(F.dropout(h, 0.2, self.training))
            alphas[:bt, t, :] = alpha
        return preds, caps, dl, alphas


feat_net = nn.Sequential(nn.Linear(5, 6), nn.ReLU(inplace=True))
decoder = Decoder()
optimizer = torch.optim.Adam(list(decoder.parameters()) + list(feat_net.parameters()), lr=5e-3)
for i in range(8):
    n = 6
    lens = torch.randint(3, 8, (n,))
    caps = torch.randint(1, VOCAB, (n, 7))
    for j in range(n):
        caps[j, lens[j]:] = PAD
    img = torch.randn(n, 4, 5)
    preds, srt, dl, alphas = decoder(feat_net(img), caps, lens)
    targets = pack_padded_sequence(srt[:, 1:], dl, batch_first=True).data
    scores = pack_padded_sequence(preds, dl, batch_first=True).data
    loss = F.cross_entropy(scores, targets)
    loss += ((1.0 - alphas.sum(dim=1)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    for group in optimizer.param_groups:
        for p in group['params']:
            if p.grad is not None:
                p.grad.data.clamp_(-5, 5)
    optimizer.step()
    if i % 3 == 0:
        print(i, round(loss.item(), 4))
