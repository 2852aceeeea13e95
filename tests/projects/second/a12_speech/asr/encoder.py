from torch import nn

from .masking import length_mask, spec_augment


class Encoder(nn.Module):
    def __init__(self, n_mels, width, vocab):
        super().__init__()
        self.inp = nn.Linear(n_mels, width)
        self.ff = nn.Sequential(nn.Linear(width, width), nn.Softplus(), nn.Linear(width, width), nn.Tanh())
        self.out = nn.Linear(width, vocab)

    def forward(self, feat, lengths):
        if self.training:
            feat = spec_augment(feat.clone(), 1, 1)
        x = self.inp(feat.transpose(1, 2))
        x = self.ff(x)
        x = length_mask(x, lengths)
        return self.out(x).log_softmax(-1)
