import torch
import torch.nn.functional as F

from rnn import CharModel, StateStore

VOCAB, WIDTH, LAYERS, BATCH, SEQ = 20, 16, 2, 4, 6


def batches(n):
    for _ in range(n):
        tok = torch.randint(VOCAB, (BATCH, SEQ + 1))
        keep = (tok[:, :-1] != 0).float()
        yield tok[:, :-1], tok[:, 1:], keep


def main():
    model = CharModel(VOCAB, WIDTH, LAYERS)
    state = StateStore(LAYERS, BATCH, WIDTH)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y, keep in batches(2):
        state.detach()
        logits = model(x, state, keep)
        loss = F.cross_entropy(logits.reshape(-1, VOCAB), y.reshape(-1))
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()
