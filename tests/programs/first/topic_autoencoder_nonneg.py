"""Non-negative topic autoencoder on bag-of-words counts, with trainer callbacks."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class TopicEncoder(nn.Module):
    def __init__(self, vocab, topics, hidden=32):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(vocab, hidden), nn.Softplus(), nn.Dropout(0.1))
        self.mu, self.logvar = nn.Linear(hidden, topics), nn.Linear(hidden, topics)

    def forward(self, x):
        h = self.fc(x)
        return self.mu(h), self.logvar(h)


class TopicModel(nn.Module):
    def __init__(self, vocab=60, topics=6):
        super().__init__()
        self.encoder = TopicEncoder(vocab, topics)
        self.beta = nn.Linear(topics, vocab, bias=False)
        self.background = nn.Parameter(torch.zeros(vocab))

    def forward(self, x):
        mu, logvar = self.encoder(torch.log1p(x))
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        theta = F.softmax(z, dim=-1)
        logits = self.beta(theta) + self.background
        recon = -(x * F.log_softmax(logits, dim=-1)).sum(1).mean()
        kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()
        return {'recon': recon, 'kl': kl, 'theta': theta}


class Callback:
    def on_forward_end(self, trainer, out): ...
    def on_step_end(self, trainer, out): ...


class NonNegativeTopics(Callback):
    """Keeps the topic-word matrix non-negative."""

    def __init__(self, eps=0.0):
        self.eps = eps

    @torch.no_grad()
    def on_forward_end(self, trainer, out):
        trainer.model.beta.weight.clamp_(min=self.eps)  # BUG


class TopicUsage(Callback):
    def __init__(self, topics, momentum=0.9):
        self.usage = torch.zeros(topics)
        self.momentum = momentum

    def on_forward_end(self, trainer, out):
        self.usage.mul_(self.momentum)
        self.usage.add_(out['theta'].detach().mean(0), alpha=1 - self.momentum)

    def on_step_end(self, trainer, out):
        trainer.logs.append((out['recon'].item(), self.usage.max().item()))


class Trainer:
    def __init__(self, model, callbacks, lr=2e-3, kl_warmup=10):
        self.model, self.callbacks = model, callbacks
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.kl_warmup, self.t, self.logs = kl_warmup, 0, []

    def _fire(self, event, out):
        for cb in self.callbacks:
            getattr(cb, event)(self, out)

    def training_step(self, batch):
        out = self.model(batch)
        self._fire('on_forward_end', out)
        weight = min(1.0, self.t / self.kl_warmup)
        loss = out['recon'] + weight * out['kl']
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self._fire('on_step_end', out)
        self.t += 1

    def fit(self, batches):
        self.model.train()
        for b in batches:
            self.training_step(b)
        return self.logs


def top_words(model, k=5):
    return model.beta.weight.detach().t().topk(k, dim=1).indices.tolist()


# --- driver ---
model = TopicModel()
trainer = Trainer(model, [NonNegativeTopics(), TopicUsage(6)])
print(trainer.fit([torch.poisson(torch.rand(8, 60) * 2) for _ in range(2)]))
print(top_words(model))
