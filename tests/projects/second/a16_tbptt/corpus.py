import torch


def stream(vocab, length=25, chunk=5, batch=3):
    data = torch.randint(vocab, (batch, length + 1))
    for i in range(0, length, chunk):
        yield data[:, i : i + chunk], data[:, i + 1 : i + chunk + 1]
