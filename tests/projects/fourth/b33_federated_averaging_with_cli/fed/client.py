import torch
import torch.nn.functional as F


class Client:
    """Runs as a coroutine: reports its loss, then waits to hear whether to train."""

    def __init__(self, cid, model, shard, lr, prox):
        self.cid, self.model, self.prox = cid, model, prox
        self.x, self.y = shard
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)
        self.anchor = None
        self.trained = 0

    def receive(self, state):
        self.model.load_state_dict(state)  # BUG
        self.anchor = {k: v.clone() for k, v in state.items()}

    def batch(self, n=16):
        i = torch.randint(0, len(self.x), (n,))
        return self.x[i], self.y[i]

    def objective(self):
        x, y = self.batch()
        loss = F.binary_cross_entropy_with_logits(self.model(x).squeeze(1), y)
        drift = sum((p - self.anchor[k]).pow(2).sum() for k, p in self.model.named_parameters())
        return loss + self.prox * drift

    def session(self):
        while True:
            loss = self.objective()
            go = yield loss.item()
            while not go:
                go = yield loss.item()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.trained += 1
            yield {k: v.detach().clone() for k, v in self.model.state_dict().items()}
