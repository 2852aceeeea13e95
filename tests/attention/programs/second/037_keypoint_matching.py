import torch
import torch.nn as nn


def log_sinkhorn_iterations(Z, log_mu, log_nu, iters):
    u, v = torch.zeros_like(log_mu), torch.zeros_like(log_nu)
    for _ in range(iters):
        u = log_mu - torch.logsumexp(Z + v.unsqueeze(1), dim=2)
        v = log_nu - torch.logsumexp(Z + u.unsqueeze(2), dim=1)
    return Z + u.unsqueeze(2) + v.unsqueeze(1)


def log_optimal_transport(scores, alpha, iters):
    b, m, n = scores.shape
    one = scores.new_tensor(1)
    ms, ns = (m * one), (n * one)
    bins0, bins1 = alpha.expand(b, m, 1), alpha.expand(b, 1, n)
    corner = alpha.expand(b, 1, 1)
    couplings = torch.cat([torch.cat([scores, bins0], -1), torch.cat([bins1, corner], -1)], 1)
    norm = -(ms + ns).log()
    log_mu = torch.cat([norm.expand(m), ns.log()[None] + norm]).expand(b, -1)
    log_nu = torch.cat([norm.expand(n), ms.log()[None] + norm]).expand(b, -1)
    return log_sinkhorn_iterations(couplings, log_mu, log_nu, iters) - norm


class Matcher(nn.Module):
    def __init__(self, d=12, iters=10):
        super().__init__()
        self.iters = iters
        self.kenc = nn.Sequential(nn.Linear(3, d), nn.ReLU(), nn.Linear(d, d))
        self.final_proj = nn.Linear(d, d)
        self.bin_score = nn.Parameter(torch.tensor(1.0))

    def forward(self, d0, k0, d1, k1):
        m0 = self.final_proj(d0 + self.kenc(k0))
        m1 = self.final_proj(d1 + self.kenc(k1))
        scores = torch.einsum('bnd,bmd->bnm', m0, m1) / m0.shape[-1] ** .5

        # coarse: mutual confidence in both directions
        conf = scores.softmax(2) * scores.softmax(1)  # NOT
        warped = conf @ k1[..., :2]

        # fine: transport plan with dustbins
        Z = log_optimal_transport(scores, self.bin_score, self.iters)
        return Z, conf, warped

    def nll(self, Z, matches):
        b = torch.arange(Z.shape[0])[:, None]
        return -Z[b, matches[..., 0], matches[..., 1]].mean()


# --- driver ---
torch.manual_seed(37)
net = Matcher().eval().double()
RESULTS = []
for m, n in ((7, 9), (11, 6)):
    d0 = torch.randn(2, m, 12, dtype=torch.float64, requires_grad=True)
    d1 = torch.randn(2, n, 12, dtype=torch.float64, requires_grad=True)
    k0, k1 = torch.rand(2, m, 3).double(), torch.rand(2, n, 3).double()
    gt = torch.stack([torch.arange(5), torch.randperm(5)], -1).expand(2, -1, -1)
    net.zero_grad()
    Z, conf, warped = net(d0, k0, d1, k1)
    (net.nll(Z, gt) + (warped - k0[..., :2]).abs().sum()).backward()
    RESULTS += [Z.detach(), conf.detach(), warped.detach(), d0.grad, d1.grad]
    RESULTS += [p.grad.clone() for p in net.parameters()]
