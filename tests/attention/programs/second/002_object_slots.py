import torch
from torch import nn


class SlotModule(nn.Module):
    """Iterative grouping of image features into `num_slots` object vectors."""

    def __init__(self, num_slots, dim, iters=3, eps=1e-8, hidden_dim=64):
        super().__init__()
        self.num_slots = num_slots
        self.iters = iters
        self.eps = eps
        self.scale = dim ** -0.5

        self.slots_mu = nn.Parameter(torch.randn(1, 1, dim))
        self.slots_sigma = nn.Parameter(torch.rand(1, 1, dim))

        self.to_q = nn.Linear(dim, dim)
        self.to_k = nn.Linear(dim, dim)
        self.to_v = nn.Linear(dim, dim)
        self.gru = nn.GRUCell(dim, dim)

        hidden_dim = max(dim, hidden_dim)
        self.fc1 = nn.Linear(dim, hidden_dim)
        self.fc2 = nn.Linear(hidden_dim, dim)

        self.norm_input = nn.LayerNorm(dim)
        self.norm_slots = nn.LayerNorm(dim)
        self.norm_pre_ff = nn.LayerNorm(dim)

    def forward(self, inputs, noise):
        b, n, d = inputs.shape
        mu = self.slots_mu.expand(b, self.num_slots, -1)
        sigma = self.slots_sigma.expand(b, self.num_slots, -1)
        slots = mu + sigma * noise

        inputs = self.norm_input(inputs)
        k, v = self.to_k(inputs), self.to_v(inputs)

        for _ in range(self.iters):
            slots_prev = slots
            slots = self.norm_slots(slots)
            q = self.to_q(slots)

            dots = torch.einsum('bid,bjd->bij', q, k) * self.scale
            attn = dots.softmax(dim=1) + self.eps  # NOT
            attn = attn / attn.sum(dim=-1, keepdim=True)

            updates = torch.einsum('bjd,bij->bid', v, attn)
            slots = self.gru(updates.reshape(-1, d), slots_prev.reshape(-1, d))
            slots = slots.reshape(b, -1, d)
            slots = slots + self.fc2(torch.relu(self.fc1(self.norm_pre_ff(slots))))
        return slots


# --- driver ---
torch.manual_seed(2)
net = SlotModule(4, 16, hidden_dim=20).eval().double()
RESULTS = []
for n in (10, 21):
    x = torch.randn(2, n, 16).double().requires_grad_()
    eps = torch.randn(2, 4, 16).double()
    net.zero_grad()
    y = net(x, eps)
    torch.tanh(y).pow(2).sum().backward()
    RESULTS.append(y.detach())
    RESULTS.append(x.grad)
    for p in net.parameters():
        RESULTS.append(p.grad.detach().clone())
