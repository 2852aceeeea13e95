import torch
import torch.nn.functional as F


class Trainer:
    def __init__(self, frontend, model, lr=1e-3, chunk=256, clip=5.0):
        self.frontend, self.model = frontend, model
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.chunk, self.clip = chunk, clip

    def train_utterances(self, wav, labels):
        """wav (B, N) is consumed in chunks, state is carried over."""
        self.model.reset()
        losses = []
        for piece in wav.split(self.chunk, dim=1):
            losses.append(self._step(piece, labels))
        return sum(losses) / len(losses)

    def _step(self, piece, labels):
        with torch.no_grad():
            feats = self.frontend(piece)
        logits = self.model(feats)
        target = labels.unsqueeze(1).expand(-1, logits.size(1))
        loss = F.cross_entropy(logits.flatten(0, 1), target.flatten())
        self.opt.zero_grad()
        loss.backward(retain_graph=True)
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.opt.step()  # BUG
        return loss.item()
