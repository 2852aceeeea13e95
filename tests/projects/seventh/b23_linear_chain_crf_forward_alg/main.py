import torch
import torch.nn as nn
import torch.optim as optim
from crf import CRF


class BiLSTM_CRF(nn.Module):
    def __init__(self, vocab_size, num_tags, emb=16, hidden=16):
        super(BiLSTM_CRF, self).__init__()
        self.embedding = nn.Embedding(vocab_size, emb)
        self.lstm = nn.LSTM(emb, hidden // 2, bidirectional=True, batch_first=True)
        self.hidden2tag = nn.Linear(hidden, num_tags)
        self.crf = CRF(num_tags)

    def neg_log_likelihood(self, sents, tags, mask):
        h, _ = self.lstm(self.embedding(sents))
        return self.crf(self.hidden2tag(h), tags, mask)


torch.manual_seed(1)
sentences = torch.randint(0, 30, (8, 9))
tags = sentences % 5
lengths = torch.tensor([9, 9, 8, 7, 5, 5, 4, 3])
mask = torch.arange(9)[None] < lengths[:, None]

model = BiLSTM_CRF(30, 5)
optimizer = optim.SGD(model.parameters(), lr=0.1, weight_decay=1e-4)
for epoch in range(10):
    model.zero_grad()
    loss = model.neg_log_likelihood(sentences, tags, mask)
    loss.backward()
    optimizer.step()
print("nll", loss.item())
