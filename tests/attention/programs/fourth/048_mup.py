import torch
from torch.func import functional_call
from torch import nn


class Mixer(nn.Module):
    def __init__(self, d_model, d_head, base_d_head=4):
        super().__init__()
        self.n = d_model // d_head
        self.d_head = d_head
        self.attn_mult = base_d_head ** 0.5 / d_head
        self.q = nn.Linear(d_model, d_model, bias=False)
        self.kv = nn.Linear(d_model, 2 * d_model, bias=False)
        self.o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, segment_ids):
        b, t, _ = x.shape
        q = self.q(x).view(b, t, self.n, self.d_head).permute(0, 2, 1, 3)
        k, v = self.kv(x).view(b, t, 2, self.n, self.d_head).permute(2, 0, 3, 1, 4)
        w = self.attn_mult * torch.matmul(q, k.swapaxes(-2, -1))
        same = segment_ids[:, :, None].eq(segment_ids[:, None, :])
        same = same & torch.ones(t, t, dtype=torch.bool).tril()
        w = w + torch.where(same, 0.0, float("-inf")).unsqueeze(1)
        w = torch.nn.functional.softmax(w, dim=-1)  # ATTN
        y = torch.matmul(w, v).permute(0, 2, 1, 3).reshape(b, t, -1)
        return self.o(y)


def make():
    torch.manual_seed(64)
    mixer = Mixer(32, 8)
    params = {k: p.detach().clone().requires_grad_() for k, p in mixer.named_parameters()}

    def apply(params, x, seg):
        return functional_call(mixer, params, (x, seg))

    seg = torch.tensor([[0, 0, 0, 1, 1, 1, 1, 2], [0, 0, 1, 1, 2, 2, 2, 2]])
    return apply, (params, torch.randn(2, 8, 32, requires_grad=True), seg)
