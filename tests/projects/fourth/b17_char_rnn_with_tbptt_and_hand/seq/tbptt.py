import torch
import torch.nn.functional as F

from .tree import tree_detach, tree_leaves, tree_norm


class TBPTTTrainer:
    def __init__(self, model, window, lr, clip, max_windows, retain_graph=False):
        self.model = model
        self.window, self.clip, self.max_windows = window, clip, max_windows
        self.retain_graph = retain_graph
        self.opt = torch.optim.RMSprop(model.parameters(), lr=lr)
        self.state_norms = []

    def clip_(self):
        total = sum(p.grad.pow(2).sum() for p in self.model.parameters()).sqrt()
        if total > self.clip:
            for p in self.model.parameters():
                p.grad.mul_(self.clip / total)

    def fit(self, stream):
        state = self.model.init_state(stream.batch)
        for i, (x, y) in enumerate(stream):
            if i == self.max_windows:
                break
            state = tree_detach(state)
            logits, state = self.model(x, state)
            loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
            self.opt.zero_grad()
            loss.backward(retain_graph=self.retain_graph)
            self.clip_()
            self.opt.step()  # BUG
            self.state_norms.append(tree_norm(state))
            yield loss.item()
        for t in tree_leaves(state):
            t.detach_()
