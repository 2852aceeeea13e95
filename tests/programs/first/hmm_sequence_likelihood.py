"""Neural HMM: scaled forward recursion over a learned transition matrix."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class EmissionNet(nn.Module):
    def __init__(self, n_states, d_obs, hidden=16):
        super().__init__()
        self.keys = nn.Parameter(torch.randn(n_states, hidden) * 0.3)
        self.net = nn.Sequential(nn.Linear(d_obs, hidden), nn.Tanh(), nn.Linear(hidden, hidden))

    def forward(self, obs):
        return torch.sigmoid(self.net(obs) @ self.keys.t())


class NeuralHMM(nn.Module):
    def __init__(self, n_states, d_obs, sticky=2.0):
        super().__init__()
        self.n_states = n_states
        self.start = nn.Parameter(torch.zeros(n_states))
        self.trans = nn.Parameter(sticky * torch.eye(n_states))
        self.emission = EmissionNet(n_states, d_obs)

    def forward_probs(self, obs):
        B, T, _ = obs.shape
        A = F.softmax(self.trans, dim=1)
        e = self.emission(obs)
        alpha = obs.new_zeros(T, B, self.n_states)
        log_z = obs.new_zeros(B)
        cur = F.softmax(self.start, 0) * e[:, 0]
        for t in range(T):
            if t > 0:
                cur = (alpha[t - 1] @ A) * e[:, t]
            norm = cur.sum(1, keepdim=True) + 1e-8
            log_z = log_z + norm.squeeze(1).log()
            alpha[t] = cur / norm  # BUG
        return alpha, log_z

    def nll(self, obs):
        _, log_z = self.forward_probs(obs)
        return -log_z.mean() / obs.size(1)

    @torch.no_grad()
    def viterbi(self, obs):
        A = F.log_softmax(self.trans, 1)
        e = self.emission(obs).log()
        score = F.log_softmax(self.start, 0) + e[:, 0]
        back = torch.zeros(obs.size(0), obs.size(1), self.n_states, dtype=torch.long)
        for t in range(1, obs.size(1)):
            best, back[:, t] = (score.unsqueeze(2) + A).max(1)
            score = best + e[:, t]
        path = torch.zeros(obs.shape[:2], dtype=torch.long)
        path[:, -1] = score.argmax(1)
        for t in range(obs.size(1) - 1, 0, -1):
            path[:, t - 1] = back[:, t].gather(1, path[:, t:t + 1]).squeeze(1)
        return path


def simulate(batch, T, d):
    state = torch.randint(0, 3, (batch, 1))
    rows = []
    for _ in range(T):
        switch = (torch.rand(batch, 1) < 0.2).long()
        state = (state + switch) % 3
        rows.append(torch.randn(batch, d) * 0.3 + state.float())
    return torch.stack(rows, dim=1)


class EarlyStop:
    def __init__(self, patience=3):
        self.best, self.bad, self.patience = float('inf'), 0, patience

    def __call__(self, value):
        self.bad = 0 if value < self.best - 1e-4 else self.bad + 1
        self.best = min(self.best, value)
        return self.bad >= self.patience


def fit(model, sampler, steps, lr=1e-2):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    stop = EarlyStop()
    for step in range(steps):
        opt.zero_grad()
        loss = model.nll(sampler())
        loss.backward()
        opt.step()
        if stop(loss.item()):
            break
    return stop.best


# --- driver ---
hmm = NeuralHMM(3, 4)
print(fit(hmm, lambda: simulate(4, 6, 4), steps=2))
print(hmm.viterbi(simulate(1, 6, 4)))
