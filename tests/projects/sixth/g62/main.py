"""2D gaussian splatting toy with densification (optimizer surgery)."""
import torch
from torch import nn


class Splats:
    def __init__(self, n):
        self.xy = nn.Parameter(torch.rand(n, 2))
        self.logs = nn.Parameter(torch.full((n, 1), -2.0))
        self.color = nn.Parameter(torch.rand(n, 3))
        self.opac = nn.Parameter(torch.zeros(n, 1))
        self.opt = torch.optim.Adam(
            [{"params": [getattr(self, k)], "lr": lr, "name": k} for k, lr in
             (("xy", 0.01), ("logs", 0.02), ("color", 0.02), ("opac", 0.05))], eps=1e-15)
        self.reset_stats()

    def reset_stats(self):
        self.grad_acc = torch.zeros(self.xy.size(0), 1)
        self.denom = torch.zeros(self.xy.size(0), 1)

    def accumulate(self, visible):
        self.grad_acc[visible] += self.xy.grad[visible].norm(dim=-1, keepdim=True)
        self.denom[visible] += 1

    def _replace(self, group, tensor, state_fn):
        old = group["params"][0]
        st = self.opt.state.pop(old, None)
        new = nn.Parameter(tensor.requires_grad_(True))
        group["params"][0] = new
        if st is not None:
            st["exp_avg"] = state_fn(st["exp_avg"])
            st["exp_avg_sq"] = state_fn(st["exp_avg_sq"])
            self.opt.state[new] = st
        setattr(self, group["name"], new)

    @torch.no_grad()
    def keep(self, mask):
        for g in self.opt.param_groups:
            self._replace(g, g["params"][0].detach()[mask], lambda s: s[mask])
        self.reset_stats()

    @torch.no_grad()
    def cat(self, new):
        for g in self.opt.param_groups:
            ext = new[g["name"]]
            self._replace(g, torch.cat([g["params"][0].detach(), ext]), lambda s: torch.cat([s, torch.zeros_like(ext)]))
        self.reset_stats()

    def densify(self, thr):
        avg = self.grad_acc / self.denom.clamp(min=1)
        sel = (avg > thr).squeeze(1)
        if sel.any():
            new = {k: getattr(self, k).detach()[sel].clone() for k in ("xy", "logs", "color", "opac")}
            new["xy"] += 0.05 * torch.randn_like(new["xy"])
            new["logs"] -= 0.3
            self.logs.data[sel] -= 0.3
            self.cat(new)

    def reset_opacity(self):
        for g in self.opt.param_groups:
            if g["name"] == "opac":
                self._replace(g, self.opac.detach().clamp(max=-1.0), torch.zeros_like)


def render(s, grid):
    d2 = (grid[:, None] - s.xy[None]).pow(2).sum(-1)
    w = torch.exp(-0.5 * d2 / (2 * s.logs.squeeze(1)).exp())
    w = w * s.opac.squeeze(1).sigmoid()
    out = w @ s.color
    norm = w.sum(1, keepdim=True)
    norm += 0.1
    return out / norm, w.detach().amax(0) > 0.05


def main():
    torch.manual_seed(62)
    torch.set_num_threads(1)
    n = 12
    lin = torch.linspace(0, 1, n)
    grid = torch.stack(torch.meshgrid(lin, lin, indexing="ij"), -1).view(-1, 2)
    img = torch.zeros(n, n, 3)
    img[:6, :, 0] = 1
    img[6:, 6:, 1] = 1
    target = img.view(-1, 3)
    s = Splats(10)
    for it in range(1, 25):
        out, vis = render(s, grid)
        loss = (out - target).abs_().mean()
        s.opt.zero_grad(set_to_none=True)
        loss.backward()
        s.accumulate(vis)
        s.opt.step()
        s.xy.data.clamp_(0, 1)
        if it % 6 == 0:
            s.densify(2e-3)
            alive = s.opac.detach().squeeze(1).sigmoid() > 0.3
            s.keep(alive)
            print(it, round(loss.item(), 4), s.xy.size(0) > 0)
        if it == 13:
            s.reset_opacity()


main()
