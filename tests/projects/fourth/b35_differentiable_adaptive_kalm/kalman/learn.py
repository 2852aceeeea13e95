import torch


class SystemID:
    def __init__(self, filt, lr):
        self.filter = filt
        self.opt = torch.optim.Adam(filt.model.parameters(), lr=lr)

    def describe(self):
        m = self.filter.model
        return {"q": round(m.q.item(), 3), "r": round(m.r.item(), 3)}

    def epoch(self, loader, prior):
        total, n = torch.zeros(()), 0
        for zs in loader:
            belief = prior(zs.size(1))
            for belief in self.filter.run(belief, zs):
                pass
            loss = belief.nll.mean() / len(zs)
            self.opt.zero_grad()
            loss.backward()
            for p in self.filter.model.parameters():
                p.grad.clamp_(-1, 1)
            self.opt.step()
            with torch.no_grad():
                self.filter.model.raw_q.clamp_(min=-6)
            total += loss.detach()
            n += 1
        return (total / n).item()
