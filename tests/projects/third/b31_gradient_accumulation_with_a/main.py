import torch
from ocr.crnn import CRNN
from ocr.engine import AccumulatingEngine


def fake_batch(b=4, n_chars=5, L=3):
    text = torch.randint(1, n_chars + 1, (b, L))
    img = torch.zeros(b, 1, 8, 24)
    for i in range(b):
        for j in range(L):
            img[i, 0, :, j * 8:j * 8 + 8] = text[i, j] / n_chars
    img += 0.05 * torch.randn_like(img)
    img.sub_(0.5).div_(0.5)
    return img, text, torch.full((b,), L, dtype=torch.long)


if __name__ == '__main__':
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net = CRNN(8, 1, 6, 16)
    engine = AccumulatingEngine(net, torch.optim.Adadelta(net.parameters()), accum=2)
    for epoch in range(2):
        losses = [engine.train_step(*fake_batch()) for _ in range(5)]
        engine.flush()
        print('epoch', epoch, sum(losses) / len(losses))
