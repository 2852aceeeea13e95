"""Small CTC acoustic model; latent time masking in the encoder."""
import random

import torch
from torch import nn


class LatentTimeMask:
    """Drops short spans of latent frames, like SpecAugment but after the front-end."""

    def __init__(self, n_masks=2, max_width=4, seed=0):
        self.n_masks = n_masks
        self.max_width = max_width
        self.rng = random.Random(seed)

    def spans(self, n_frames):
        for _ in range(self.n_masks):
            w = self.rng.randint(1, self.max_width)
            s = self.rng.randint(0, max(0, n_frames - w))
            yield s, s + w

    def __call__(self, feats, lengths):
        for i, n in enumerate(lengths.tolist()):
            for lo, hi in self.spans(n):
                feats[i].narrow(0, lo, hi - lo).zero_()  # BUG
        return feats


class FrontEnd(nn.Module):
    def __init__(self, n_mels, dim):
        super().__init__()
        self.conv = nn.Conv1d(n_mels, dim, 5, stride=2, padding=2)
        self.norm = nn.GroupNorm(1, dim)

    def forward(self, mel):
        return torch.tanh(self.norm(self.conv(mel))).transpose(1, 2)


class AcousticModel(nn.Module):
    def __init__(self, n_mels=20, dim=24, vocab=12, augment=None):
        super().__init__()
        self.front = FrontEnd(n_mels, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * dim, vocab)
        self.augment = augment

    def forward(self, mel, mel_lengths):
        x = self.front(mel)
        lengths = (mel_lengths + 1) // 2
        if self.training and self.augment is not None:
            x = self.augment(x, lengths)
        y, _ = self.rnn(x)
        return self.out(y).log_softmax(-1), lengths


def collate(batch_size, frames, n_mels, vocab, gen):
    mel = torch.randn(batch_size, n_mels, frames, generator=gen)
    mel_len = torch.randint(frames // 2, frames + 1, (batch_size,), generator=gen)
    # zero the padding so statistics are not polluted
    for i, n in enumerate(mel_len.tolist()):
        mel[i, :, n:] = 0.0
    tgt = torch.randint(1, vocab, (batch_size, 5), generator=gen)
    return mel, mel_len, tgt, torch.full((batch_size,), 5)


# --- driver ---
def main(steps=3):
    torch.set_num_threads(1)
    torch.manual_seed(1)
    gen = torch.Generator().manual_seed(1)
    model = AcousticModel(augment=LatentTimeMask())
    ctc = nn.CTCLoss(blank=0, zero_infinity=True)
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for step in range(steps):
        mel, mel_len, tgt, tgt_len = collate(3, 40, 20, 12, gen)
        logp, out_len = model(mel, mel_len)
        loss = ctc(logp.transpose(0, 1), tgt, out_len, tgt_len)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        print(f"step {step} ctc {loss.item():.3f}")


if __name__ == "__main__":
    main()
