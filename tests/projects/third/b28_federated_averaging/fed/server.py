import torch


class Server:
    def __init__(self, model):
        self.global_model = model
        self.inbox = {}

    def state(self):
        return self.global_model.state_dict()

    def receive(self, cid, state, n):
        self.inbox[cid] = ({k: v.clone() for k, v in state.items()}, n)
        self.aggregate()

    @torch.no_grad()
    def aggregate(self):
        total = sum(n for _, n in self.inbox.values())
        avg = {k: torch.zeros_like(v) for k, v in self.global_model.state_dict().items()}
        for state, n in self.inbox.values():
            for k in avg:
                avg[k] += state[k] * (n / total)
        self.global_model.load_state_dict(avg)
