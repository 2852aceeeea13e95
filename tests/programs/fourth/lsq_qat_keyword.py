import torch
import torch.nn as nn
import torch.nn.functional as F


class RoundClip(torch.autograd.Function):
    """Learned-step quantiser with straight-through gradient."""

    @staticmethod
    def forward(ctx, x, step, qn, qp):
        scaled = x / step
        ctx.save_for_backward(scaled, step)
        ctx.bounds = qn, qp
        return scaled.clamp(qn, qp).round_().mul_(step)

    @staticmethod
    def backward(ctx, grad):
        scaled, step = ctx.saved_tensors
        qn, qp = ctx.bounds
        inside = (scaled > qn) & (scaled < qp)
        grad_x = grad * inside
        slope = torch.where(inside, scaled.round() - scaled, scaled.clamp(qn, qp))
        grad_step = (grad * slope).sum().view_as(step)
        return grad_x, grad_step, None, None


class Quantiser(nn.Module):
    def __init__(self, bits, signed=True):
        super().__init__()
        self.qn, self.qp = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2 ** bits - 1)
        self.step = nn.Parameter(torch.tensor(1.0))
        self.register_buffer("ready", torch.zeros((), dtype=torch.bool))

    def forward(self, x):
        if not self.ready:
            self.step.data.copy_(2 * x.detach().abs().mean() / self.qp ** 0.5)
            self.ready.fill_(True)
        return RoundClip.apply(x, self.step, self.qn, self.qp)


class QuantMixin:
    def attach(self, w_bits, a_bits):
        self.w_quant = Quantiser(w_bits)
        self.a_quant = Quantiser(a_bits, signed=False)
        return self


class QLinear(QuantMixin, nn.Linear):
    def forward(self, x):
        return F.linear(self.a_quant(x), self.w_quant(self.weight), self.bias)


class QConv1d(QuantMixin, nn.Conv1d):
    def standardised(self):
        w = self.weight - self.weight.mean(dim=(1, 2), keepdim=True)
        w /= w.std(dim=(1, 2), keepdim=True) + 1e-5  # BUG
        return w

    def forward(self, x):
        w = self.w_quant(self.standardised())
        return F.conv1d(self.a_quant(x), w, self.bias, self.stride, self.padding)


def keyword_net(n_mels=8, classes=4, bits=4):
    return nn.Sequential(
        nn.Conv1d(n_mels, 8, 3, padding=1), nn.BatchNorm1d(8), nn.ReLU(),
        QConv1d(8, 8, 3, padding=1).attach(bits, bits), nn.BatchNorm1d(8), nn.ReLU(),
        nn.AdaptiveAvgPool1d(1), nn.Flatten(),
        QLinear(8, classes).attach(bits, bits))


def param_groups(model, lr):
    steps = [p for n, p in model.named_parameters() if n.endswith(".step")]
    rest = [p for n, p in model.named_parameters() if not n.endswith(".step")]
    return [{"params": rest, "lr": lr}, {"params": steps, "lr": lr * 0.1, "weight_decay": 0.0}]


def spec_augment(mels, width=2):
    start = int(torch.randint(0, mels.shape[-1] - width, (1,)))
    mels[..., start:start + width] = 0
    return mels


def train(model, loader, lr=1e-2):
    opt = torch.optim.SGD(param_groups(model, lr), lr=lr, momentum=0.9, weight_decay=1e-4)
    for mels, label in loader:
        loss = F.cross_entropy(model(spec_augment(mels)), label)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
train(keyword_net(), [(torch.randn(4, 8, 12), torch.randint(0, 4, (4,))) for _ in range(2)])
