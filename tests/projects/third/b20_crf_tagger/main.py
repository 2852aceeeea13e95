import torch
import torch.nn as nn
from crf import CRF


class BiLSTM_CRF(nn.Module):
    def __init__(self, vocab, n_tags, emb=8, hid=8):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb, padding_idx=0)
        self.lstm = nn.LSTM(emb, hid, bidirectional=True)
        self.fc = nn.Linear(2 * hid, n_tags)
        self.crf = CRF(n_tags)

    def emissions(self, x):
        h, _ = self.lstm(self.emb(x))
        h = nn.functional.dropout(h, 0.1, self.training)
        return self.fc(h)

    def loss(self, x, y):
        return self.crf(self.emissions(x), y, x.ne(0))

    def predict(self, x):
        return self.crf.decode(self.emissions(x), x.ne(0))


def get_batch(T=7, B=5, vocab=10):
    x = torch.randint(1, vocab, (T, B))
    lengths = torch.randint(3, T + 1, (B,))
    lengths[0] = T
    for b, n in enumerate(lengths):
        x[n:, b] = 0
    y = x % 3
    return x, y


def main():
    torch.manual_seed(42)
    torch.set_num_threads(1)
    model = BiLSTM_CRF(10, 3)
    optim = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(5):
        x, y = get_batch()
        model.train()
        model.zero_grad()
        loss = model.loss(x, y)
        loss.backward()
        optim.step()
        print('epoch', epoch, 'nll', loss.item())
    model.eval()
    print(model.predict(get_batch()[0])[0])


if __name__ == '__main__':
    main()
