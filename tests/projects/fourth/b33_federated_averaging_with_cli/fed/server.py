import torch


def average(states):
    out = {k: torch.zeros_like(v) for k, v in states[0].items()}
    for s in states:
        for k, v in s.items():
            out[k].add_(v, alpha=1.0 / len(states))
    return out


class Server:
    def __init__(self, model, clients, selector, momentum=0.5):
        self.model, self.clients, self.selector = model, clients, selector
        self.momentum = momentum
        self.velocity = {k: torch.zeros_like(v) for k, v in model.state_dict().items()}
        self.sessions = {}

    def broadcast(self):
        state = self.model.state_dict()
        for c in self.clients:
            c.receive(state)

    def session(self, c):
        if c.cid not in self.sessions:
            self.sessions[c.cid] = c.session()
        return self.sessions[c.cid]

    @torch.no_grad()
    def aggregate(self, states):
        new = average(states)
        for k, p in self.model.state_dict().items():
            self.velocity[k].mul_(self.momentum).add_(new[k] - p)
            p.add_(self.velocity[k])

    def round(self):
        self.broadcast()
        losses = {c.cid: next(self.session(c)) for c in self.clients}
        chosen = self.selector.pick(losses)
        states = [self.sessions[i].send(True) for i in sorted(chosen)]
        self.aggregate(states)
        mean = sum(losses.values()) / len(losses)
        return {"loss": round(mean, 4), "chosen": sorted(chosen)}

    def close(self):
        for s in self.sessions.values():
            s.close()
