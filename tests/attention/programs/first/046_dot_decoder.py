# Speech-to-text: pyramidal LSTM listener, LSTM speller with multiplicative attention.
import torch
import torch.nn as nn


class Listener(nn.Module):
    def __init__(self, feat, hid, layers=2):
        super().__init__()
        dims = [feat * 2] + [hid * 4] * (layers - 1)
        self.rnns = nn.ModuleList(nn.LSTM(d, hid, bidirectional=True, batch_first=True) for d in dims)

    def forward(self, x):
        for rnn in self.rnns:
            b, t, f = x.shape
            x = x[:, : t - t % 2].reshape(b, t // 2, f * 2)
            x, _ = rnn(x)
        return x


class GeneralAttention(nn.Module):
    """score(h_t, h_s) = h_t W h_s ; Luong et al. 2015, eq. 8"""

    def __init__(self, dec_dim, enc_dim):
        super().__init__()
        self.W = nn.Linear(dec_dim, enc_dim, bias=False)
        self.softmax = nn.Softmax(dim=-1)
        self.linear_out = nn.Linear(dec_dim + enc_dim, dec_dim)

    def forward(self, output, context, lengths=None):
        batch_size, _, _ = output.size()
        input_size = context.size(1)
        # (batch, out_len, dim) * (batch, in_len, dim) -> (batch, out_len, in_len)
        attn = torch.bmm(self.W(output), context.transpose(1, 2))
        if lengths is not None:
            beyond = torch.arange(input_size).expand(batch_size, 1, input_size) >= lengths.view(-1, 1, 1)
            attn.data.masked_fill_(beyond, -float('inf'))
        attn = self.softmax(attn.view(-1, input_size)).view(batch_size, -1, input_size)  # ATTN
        mix = torch.bmm(attn, context)
        combined = torch.cat((mix, output), dim=2)
        return torch.tanh(self.linear_out(combined)), attn


class Speller(nn.Module):
    def __init__(self, vocab, emb, hid, enc_dim):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb)
        self.rnn = nn.LSTM(emb, hid, batch_first=True)
        self.attention = GeneralAttention(hid, enc_dim)
        self.out = nn.Linear(hid, vocab)

    def forward(self, tokens, memory, lengths=None):
        h, _ = self.rnn(self.emb(tokens))
        h, align = self.attention(h, memory, lengths)
        return self.out(h), align


class LAS(nn.Module):
    def __init__(self, feat=6, hid=7, vocab=15):
        super().__init__()
        self.listener = Listener(feat, hid)
        self.speller = Speller(vocab, 8, 10, 2 * hid)

    def forward(self, audio, tokens, lengths=None):
        logits, _ = self.speller(tokens, self.listener(audio), lengths)
        return logits


# --- driver ---
torch.manual_seed(46)
model = LAS().double().eval()
RESULTS = []
for frames, t, lens in ((30, 6, None), (25, 9, torch.tensor([6, 2, 4]))):
    model.zero_grad()
    audio = torch.randn(3, frames, 6, dtype=torch.float64, requires_grad=True)
    tokens = torch.randint(0, 15, (3, t))
    logits = model(audio, tokens, lens)
    nn.functional.cross_entropy(logits.transpose(1, 2), tokens.roll(-1, 1)).backward()
    RESULTS += [logits.detach(), audio.grad] + [p.grad.clone() for p in model.parameters()]
