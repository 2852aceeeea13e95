import torch
import torch.nn as nn


class CRF(nn.Module):
    """Linear chain CRF. emissions: (T, B, K), tags/mask: (T, B)"""

    def __init__(self, num_tags):
        super().__init__()
        self.num_tags = num_tags
        self.start = nn.Parameter(torch.empty(num_tags))
        self.end = nn.Parameter(torch.empty(num_tags))
        self.transitions = nn.Parameter(torch.empty(num_tags, num_tags))
        for p in self.parameters():
            nn.init.uniform_(p, -0.1, 0.1)

    def forward(self, emissions, tags, mask):
        num = self._score(emissions, tags, mask)
        den = self._normalizer(emissions, mask)
        return -(num - den).mean()

    def _score(self, emissions, tags, mask):
        T, B = tags.shape
        rng = torch.arange(B)
        m = mask.float()
        score = self.start[tags[0]] + emissions[0, rng, tags[0]]
        for i in range(1, T):
            score += (self.transitions[tags[i - 1], tags[i]] + emissions[i, rng, tags[i]]) * m[i]
        last = mask.long().sum(0) - 1
        score += self.end[tags[last, rng]]
        return score

    def _normalizer(self, emissions, mask):
        alpha = self.start + emissions[0]
        for emit, m in zip(emissions[1:], mask[1:]):
            nxt = torch.logsumexp(alpha.unsqueeze(2) + self.transitions + emit.unsqueeze(1), dim=1)
            nxt[~m] = alpha[~m]  # BUG
            alpha = nxt
        return torch.logsumexp(alpha + self.end, dim=1)

    @torch.no_grad()
    def decode(self, emissions, mask):
        score = self.start + emissions[0]
        history = []
        for i in range(1, len(emissions)):
            best, idx = (score.unsqueeze(2) + self.transitions + emissions[i].unsqueeze(1)).max(1)
            score[mask[i]] = best[mask[i]]
            history.append(idx)
        score += self.end
        out = []
        for b in range(emissions.size(1)):
            n = int(mask[:, b].sum())
            path = [int(score[b].argmax())]
            for h in reversed(history[:n - 1]):
                path.append(int(h[b][path[-1]]))
            out.append(path[::-1])
        return out
