import torch

from asr import Encoder, LogMel, ctc_loss


def batch():
    wav = torch.randn(2, 640)
    targets = torch.randint(1, 10, (2, 5))
    return wav, torch.tensor([41, 30]), targets, torch.tensor([5, 4])


def main():
    front, enc = LogMel(), Encoder(8, 16, 10)
    params = list(front.parameters()) + list(enc.parameters())
    opt = torch.optim.Adam(params)
    for _ in range(2):
        wav, lengths, targets, tl = batch()
        logp = enc(front(wav), lengths)
        loss = ctc_loss(logp, lengths, targets, tl)
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()
