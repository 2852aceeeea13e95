import torch
import torch.nn as nn
import torch.nn.functional as F


class SA_Layer(nn.Module):
    def __init__(self, channels):
        super(SA_Layer, self).__init__()
        self.q_conv = nn.Conv1d(channels, channels // 4, 1, bias=False)
        self.k_conv = nn.Conv1d(channels, channels // 4, 1, bias=False)
        self.q_conv.weight = self.k_conv.weight
        self.v_conv = nn.Conv1d(channels, channels, 1)
        self.trans_conv = nn.Conv1d(channels, channels, 1)
        self.after_norm = nn.BatchNorm1d(channels)
        self.act = nn.ReLU()
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, x):
        x_q = self.q_conv(x).permute(0, 2, 1)   # b, n, c
        x_k = self.k_conv(x)                    # b, c, n
        x_v = self.v_conv(x)
        energy = x_q @ x_k                      # b, n, n
        attention = self.softmax(energy)  # NOT
        attention = attention / (1e-9 + attention.sum(dim=1, keepdims=True))
        x_r = x_v @ attention                   # b, c, n
        x_r = self.act(self.after_norm(self.trans_conv(x - x_r)))
        x = x + x_r
        return x


class PctTiny(nn.Module):
    def __init__(self, channels=16, layers=2, output_channels=5):
        super().__init__()
        self.conv1 = nn.Conv1d(3, channels, 1, bias=False)
        self.bn1 = nn.BatchNorm1d(channels)
        self.sa = nn.ModuleList([SA_Layer(channels) for _ in range(layers)])
        self.fuse = nn.Conv1d(channels * layers, 24, 1)
        self.linear = nn.Linear(24, output_channels)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x.permute(0, 2, 1))))
        outs = []
        for sa in self.sa:
            x = sa(x)
            outs.append(x)
        x = F.leaky_relu(self.fuse(torch.cat(outs, dim=1)), 0.2)
        x = F.adaptive_max_pool1d(x, 1).squeeze(-1)
        return self.linear(x)


# --- driver ---
torch.manual_seed(40)
pct = PctTiny().double().eval()
RESULTS = []
for n in (16, 25):
    pts = torch.randn(2, n, 3, dtype=torch.float64, requires_grad=True)
    pct.zero_grad()
    logits = pct(pts)
    F.cross_entropy(logits, torch.tensor([1, 4]), label_smoothing=0.2).backward()
    RESULTS += [logits.detach(), pts.grad]
    RESULTS += [p.grad.clone() for p in pct.parameters()]
