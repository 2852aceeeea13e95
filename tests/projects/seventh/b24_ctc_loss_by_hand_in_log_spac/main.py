import torch
import torch.nn as nn
from ctc import ctc_loss


class Acoustic(nn.Module):
    def __init__(self, n_mels=13, hidden=24, n_tokens=6):
        super().__init__()
        self.rnn = nn.GRU(n_mels, hidden, batch_first=True, bidirectional=True)
        self.proj = nn.Linear(2 * hidden, n_tokens)

    def forward(self, feats):
        out, _ = self.rnn(feats)
        return self.proj(out).log_softmax(-1)


if __name__ == "__main__":
    torch.manual_seed(0)
    net = Acoustic()
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    feats = torch.randn(4, 20, 13)
    targets = [torch.randint(1, 6, (n,)) for n in (4, 5, 3, 6)]
    for i in range(5):
        loss = ctc_loss(net(feats), targets)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.)
        opt.step()
        print("step", i, "loss", loss.item())
