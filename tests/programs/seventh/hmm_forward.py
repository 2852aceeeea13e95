"""Neural left-to-right HMM aligner (training by the forward algorithm)."""
import torch
import torch.nn as nn

NEG = -1e9


class Emission(nn.Module):
    def __init__(self, feat, n_states):
        super().__init__()
        self.mean = nn.Parameter(torch.randn(n_states, feat))
        self.log_std = nn.Parameter(torch.zeros(n_states, feat))

    def forward(self, obs):
        # obs: [B, T, F] -> [B, T, S]
        d = torch.distributions.Normal(self.mean, self.log_std.exp())
        return d.log_prob(obs.unsqueeze(2)).sum(-1)


class LeftToRightHMM(nn.Module):
    def __init__(self, feat, n_states):
        super().__init__()
        self.n_states = n_states
        self.emission = Emission(feat, n_states)
        self.stay_logit = nn.Parameter(torch.zeros(n_states))

    def log_transitions(self):
        return nn.functional.logsigmoid(self.stay_logit), nn.functional.logsigmoid(-self.stay_logit)

    def forward(self, obs, lengths):
        em = self.emission(obs)
        stay, move = self.log_transitions()
        B, T, S = em.shape
        alpha = torch.full((B, S), NEG)
        alpha[:, 0] = em[:, 0, 0]
        finals = []
        for t in range(1, T):
            prev = alpha + stay
            advance = alpha[:, :-1] + move[:-1]
            prev[:, 1:] = torch.logaddexp(prev[:, 1:], advance)  # BUG
            alpha = prev + em[:, t]
            finals.append(alpha[:, -1])
        finals = torch.stack(finals, 1)
        return finals.gather(1, (lengths - 2).unsqueeze(1)).squeeze(1)

    @torch.no_grad()
    def align(self, obs):
        em = self.emission(obs)
        stay, move = self.log_transitions()
        B, T, S = em.shape
        score = torch.full((B, S), NEG)
        score[:, 0] = em[:, 0, 0]
        back = torch.zeros(B, T, S, dtype=torch.long)
        for t in range(1, T):
            up = torch.full_like(score, NEG)
            up[:, 1:] = score[:, :-1] + move[:-1]
            keep = score + stay
            back[:, t] = (up > keep).long()
            score = torch.maximum(up, keep)
            score += em[:, t]
        path = torch.empty(B, T, dtype=torch.long)
        cur = score.argmax(1)
        for t in range(T - 1, -1, -1):
            path[:, t] = cur
            cur = cur - back[:, t].gather(1, cur[:, None]).squeeze(1)
        return path


def synth(batch, T, feat):
    centres = torch.randn(3, feat) * 2
    seg = torch.arange(T).mul(3).div(T, rounding_mode="floor")
    obs = centres[seg].repeat(batch, 1, 1)
    obs += 0.1 * torch.randn_like(obs)
    lengths = torch.full((batch,), T)
    lengths[-1] -= 2
    return obs, lengths


def em_like_training(model, data, lr=0.05, iters=1):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for _ in range(iters):
        obs, lengths = data
        nll = -model(obs, lengths).mean()
        opt.zero_grad()
        nll.backward()
        opt.step()
    return model.align(data[0])


# --- driver ---
torch.manual_seed(0)
em_like_training(LeftToRightHMM(4, 3), synth(3, 8, 4))
