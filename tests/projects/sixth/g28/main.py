import torch
import torch.nn as nn
import torch.nn.functional as F


class Memory(object):
    """state of one sequence batch; made anew in each forward"""

    def __init__(self, init, batch):
        self.M = init.unsqueeze(0).expand(batch, -1, -1)
        self.usage = torch.zeros(batch, init.size(0))
        self.history = []

    def read(self, w):
        return torch.bmm(w.unsqueeze(1), self.M).squeeze(1)

    def write(self, w, e, a):
        erase = torch.bmm(w.unsqueeze(2), e.unsqueeze(1))
        new = self.M * (1 - erase)
        new += torch.bmm(w.unsqueeze(2), a.unsqueeze(1))
        self.M = new
        self.usage.mul_(0.9).add_(w.detach())
        self.history += [w]

    def least_used(self):
        return F.one_hot(self.usage.argmin(1), self.usage.size(1)).float()


class NTM(nn.Module):
    def __init__(self, d_in, d_out, h=20, n=6, m=5):
        super().__init__()
        self.ctrl = nn.LSTMCell(d_in + m, h)
        self.key, self.erase, self.add = nn.Linear(h, m), nn.Linear(h, m), nn.Linear(h, m)
        self.beta, self.gate = nn.Linear(h, 1), nn.Linear(h, 1)
        self.out = nn.Linear(h + m, d_out)
        self.init_M = nn.Parameter(torch.randn(n, m) * 0.1)
        self.h, self.m = h, m

    def address(self, mem, k, beta):
        sim = F.cosine_similarity(mem.M, k.unsqueeze(1), dim=-1)
        sim = sim * beta
        return sim.softmax(-1)

    def forward(self, x, T_out):
        T, B, D = x.shape
        mem = Memory(self.init_M, B)
        hc = (x.new_zeros(B, self.h), x.new_zeros(B, self.h))
        r = x.new_zeros(B, self.m)
        outs = []
        blank = torch.zeros(B, D)
        for t in range(T + T_out):
            inp = x[t] if t < T else blank
            hc = self.ctrl(torch.cat([inp, r], 1), hc)
            h = hc[0]
            k = self.key(h).tanh_()
            beta = F.softplus(self.beta(h))
            w = self.address(mem, k, beta)
            if t < T:
                g = self.gate(h).sigmoid_()
                ww = g * w
                ww += (1 - g) * mem.least_used()
                mem.write(ww, self.erase(h).sigmoid_(), self.add(h))
            r = mem.read(w)
            if t >= T:
                outs.append(self.out(torch.cat([h, r], 1)))
        sparsity = torch.stack(mem.history).pow(2).sum(-1).mean()
        return torch.stack(outs), sparsity


def copy_task(T, B, bits):
    seq = torch.randint(0, 2, (T, B, bits)).float()
    x = torch.zeros(T + 1, B, bits + 1)
    x[:T, :, :bits] = seq
    x[T, :, bits] = 1.0
    return x, seq


torch.manual_seed(28)
torch.set_num_threads(1)
net = NTM(4, 3)
opt = torch.optim.RMSprop(net.parameters(), lr=2e-3, momentum=0.9)
avg = 0.0
for it in range(8):
    x, y = copy_task(int(torch.randint(2, 5, ())), 8, 3)
    logits, sp = net(x, y.size(0))
    loss = F.binary_cross_entropy_with_logits(logits, y)
    loss -= 0.01 * sp
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(net.parameters(), 1.0)
    opt.step()
    avg += (loss.item() - avg) / (it + 1)
    if it % 3 == 0:
        print(it, round(avg, 4))
