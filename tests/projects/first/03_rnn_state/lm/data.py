import torch


def batchify(ids, bsz):
    n = ids.size(0) // bsz
    return ids[: n * bsz].view(bsz, n).t().contiguous()


def windows(src, bptt):
    for i in range(0, src.size(0) - 1, bptt):
        n = min(bptt, src.size(0) - 1 - i)
        yield src[i:i + n], src[i + 1:i + 1 + n]


def toy(vocab, n=200):
    return torch.randint(0, vocab, (n,))
