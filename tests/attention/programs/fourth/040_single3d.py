import torch
import torch.nn as nn


class SequencePooler(nn.Module):
    """LSTM encoder, then plain single-head self attention on its outputs."""

    def __init__(self, vocab, emb, hidden, n_cls):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb, padding_idx=0)
        self.lstm = nn.LSTM(emb, hidden, batch_first=True, bidirectional=True)
        self.W_q = nn.Linear(2 * hidden, hidden)
        self.W_k = nn.Linear(2 * hidden, hidden)
        self.W_v = nn.Linear(2 * hidden, 2 * hidden)
        self.fc = nn.Linear(2 * hidden, n_cls)
        for lin in (self.W_q, self.W_k, self.W_v):
            nn.init.normal_(lin.weight, std=1.0)

    def attention_net(self, states, lengths=None):
        Q = self.W_q(states)
        K = self.W_k(states)
        V = self.W_v(states)
        energy = torch.bmm(Q, K.permute(0, 2, 1)) / (K.shape[2] ** 0.5)
        if lengths is not None:
            idx = torch.arange(states.shape[1])
            pad = idx[None, :] >= lengths[:, None]
            energy = energy.masked_fill(pad.unsqueeze(1), float("-inf"))
        soft_attn = torch.softmax(energy, dim=2)  # ATTN
        return torch.bmm(soft_attn, V)

    def forward(self, tokens, lengths):
        states, _ = self.lstm(self.embedding(tokens))
        context = self.attention_net(states, lengths)
        return self.fc(context.mean(dim=1))


def make():
    torch.manual_seed(17)
    model = SequencePooler(40, 12, 10, 3).eval()
    lengths = torch.tensor([8, 5, 1])
    tokens = torch.randint(1, 40, (3, 8))
    tokens = tokens * (torch.arange(8)[None] < lengths[:, None])
    return model, (tokens, lengths)
