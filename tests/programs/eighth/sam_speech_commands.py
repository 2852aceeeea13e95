"""Keyword spotting with sharpness-aware minimisation."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base_cls, rho=0.05, adaptive=False, **kw):
        defaults = dict(rho=rho, adaptive=adaptive, **kw)
        super().__init__(params, defaults)
        self.base = base_cls(self.param_groups, **kw)
        self.param_groups = self.base.param_groups

    @torch.no_grad()
    def first_step(self, grads):
        it = iter(grads)
        norm = torch.stack([g.norm() for g in grads]).norm()
        for group in self.param_groups:
            scale = group["rho"] / (norm + 1e-12)
            for p in group["params"]:
                g = next(it)
                e_w = (p.abs() ** 2 if group["adaptive"] else 1.0) * g * scale
                self.state[p]["old_p"] = p.clone()
                p.add_(e_w)  # BUG

    @torch.no_grad()
    def second_step(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.copy_(self.state[p]["old_p"])
        self.base.step()


class Frontend(nn.Module):
    def __init__(self, n_fft=16, hop=8):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft))

    def forward(self, wav):
        spec = torch.stft(wav, self.n_fft, self.hop, window=self.window, return_complex=True).abs()
        spec.pow_(2).add_(1e-6).log_()
        return spec.sub_(spec.mean((1, 2), keepdim=True))


class DSCNN(nn.Module):
    def __init__(self, bins, classes, ch=10):
        super().__init__()
        self.front = Frontend()
        self.inp = nn.Conv1d(bins, ch, 3, padding=1)
        self.dw = nn.Conv1d(ch, ch, 5, padding=2, groups=ch)
        self.pw = nn.Conv1d(ch, ch, 1)
        self.norm = nn.GroupNorm(2, ch)
        self.fc = nn.Linear(ch, classes)

    def forward(self, wav):
        with torch.no_grad():
            feats = self.front(wav)
        x = F.relu(self.inp(feats))
        x = F.relu_(self.norm(self.pw(self.dw(x))))
        return self.fc(x.amax(-1))


class Trainer:
    def __init__(self, model, mix=0.5, **opt_kw):
        self.model, self.mix = model, mix
        self.opt = SAM(model.parameters(), torch.optim.SGD, **opt_kw)

    def step(self, wav, label):
        params = [p for p in self.model.parameters() if p.requires_grad]
        clean = F.cross_entropy(self.model(wav), label)
        grads = torch.autograd.grad(clean, params, retain_graph=True)
        self.opt.first_step(grads)
        sharp = F.cross_entropy(self.model(wav), label)
        loss = (1 - self.mix) * clean + self.mix * sharp
        self.opt.zero_grad()
        loss.backward()
        self.opt.second_step()
        return loss.item()


def tone_batch(n, classes, length=128):
    label = torch.randint(0, classes, (n,))
    t = torch.arange(length) / length
    wav = torch.sin(2 * torch.pi * (label[:, None] + 2) * 4 * t)
    wav += 0.1 * torch.randn_like(wav)
    return wav, label


# --- driver ---
torch.manual_seed(0)
trainer = Trainer(DSCNN(9, 4), lr=0.05, rho=0.05, momentum=0.9)
for _ in range(2):
    trainer.step(*tone_batch(4, 4))
