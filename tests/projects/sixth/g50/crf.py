import torch
import torch.nn as nn


class CRF(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.n = n
        self.trans = nn.Parameter(torch.empty(n, n).uniform_(-0.1, 0.1))
        self.start = nn.Parameter(torch.empty(n).uniform_(-0.1, 0.1))
        self.end = nn.Parameter(torch.empty(n).uniform_(-0.1, 0.1))
        with torch.no_grad():
            self.trans[0, n - 1] = -100.0

    def _score(self, em, tags, mask):
        T = em.size(1)
        first = tags[:, 0]
        score = self.start[first] + em[:, 0].gather(1, first[:, None]).squeeze(1)
        m = mask.float()
        for t in range(1, T):
            step = self.trans[tags[:, t - 1], tags[:, t]]
            step += em[:, t].gather(1, tags[:, t:t + 1]).squeeze(1)
            score += step * m[:, t]
        last = tags.gather(1, mask.long().sum(1, keepdim=True) - 1).squeeze(1)
        score += self.end[last]
        return score

    def _partition(self, em, mask):
        alpha = self.start + em[:, 0]
        for t in range(1, em.size(1)):
            nxt = alpha.unsqueeze(2) + self.trans
            nxt += em[:, t].unsqueeze(1)
            nxt = torch.logsumexp(nxt, 1)
            alpha = torch.where(mask[:, t, None], nxt, alpha)
        return torch.logsumexp(alpha + self.end, 1)

    def forward(self, em, tags, mask):
        llh = self._score(em, tags, mask)
        llh -= self._partition(em, mask)
        return llh.neg_().mean()

    @torch.no_grad()
    def viterbi(self, em, mask):
        B, T, n = em.shape
        bp = torch.zeros(B, T, n, dtype=torch.long)
        score = em[:, 0].clone()
        score += self.start
        for t in range(1, T):
            s = score.unsqueeze(2) + self.trans
            best, bp[:, t] = s.max(1)
            best += em[:, t]
            upd = mask[:, t]
            score[upd] = best[upd]
        score.add_(self.end)
        paths = []
        for b in range(B):
            L = int(mask[b].sum())
            k = int(score[b].argmax())
            path = [k]
            for t in range(L - 1, 0, -1):
                k = int(bp[b, t, k])
                path += [k]
            paths.append(path[::-1])
        return paths
