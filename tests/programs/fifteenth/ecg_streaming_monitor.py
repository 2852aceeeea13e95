"""Arrhythmia monitor: recurrent state carried between windows of an ECG stream."""
import torch
from torch import nn


class CarryState(nn.Module):
    """Holds one state vector per patient."""

    def __init__(self, patients, dim):
        super().__init__()
        self.register_buffer("value", torch.zeros(patients, dim))

    def read(self):
        return self.value.clone()

    def write(self, new):
        self.value.copy_(new.detach())

    def clear(self, rows):
        self.value[rows] = 0.0


class MinimalGatedUnit(nn.Module):
    def __init__(self, d_in, d_hid):
        super().__init__()
        self.f = nn.Linear(d_in + d_hid, d_hid)
        self.g = nn.Linear(d_in + d_hid, d_hid)
        nn.init.constant_(self.f.bias, 1.0)

    def forward(self, x, h):
        f = torch.sigmoid(self.f(torch.cat([x, h], -1)))
        g = torch.tanh(self.g(torch.cat([x, f * h], -1)))
        return h + f * (g - h)


class Monitor(nn.Module):
    def __init__(self, patients, leads=2, dim=20, classes=4):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(leads, dim, 5, 2, 2), nn.ELU(inplace=True))
        self.cell = MinimalGatedUnit(dim, dim)
        self.carry = CarryState(patients, dim)
        self.head = nn.Linear(dim, classes)

    def forward(self, wave):
        x = self.conv(wave).transpose(1, 2)
        h = self.carry.read()
        logits = wave.new_zeros(x.size(0), x.size(1), self.head.out_features)
        for t, x_t in enumerate(x.unbind(1)):
            h = self.cell(x_t, h)
            logits[:, t] = self.head(h)
        self.carry.write(h)
        return logits


def baseline_wander(wave):
    """Remove the slow component of each lead."""
    wave = wave.clone()
    kernel = torch.ones(wave.size(1), 1, 9) / 9
    wave -= nn.functional.conv1d(wave, kernel, padding=4, groups=wave.size(1))
    return wave


def stream(patients, leads, window):
    phase = torch.rand(patients, 1, 1)
    t = torch.linspace(0, 1, window)
    while True:
        wave = torch.sin(6.28 * (t + phase)).expand(-1, leads, -1) + 0.1 * torch.randn(patients, leads, window)
        phase += 0.37
        label = torch.randint(0, 4, (patients,))
        yield baseline_wander(wave), label, (torch.rand(patients) < 0.25).nonzero().flatten()


# --- driver ---
def main(steps=3):
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = Monitor(patients=5)
    opt = torch.optim.NAdam(model.parameters(), lr=1e-3)
    for step, (wave, label, ended) in zip(range(steps), stream(5, 2, 24)):
        logits = model(wave)
        loss = nn.functional.cross_entropy(logits.transpose(1, 2), label[:, None].expand(-1, logits.size(1)))
        model.carry.clear(ended)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
