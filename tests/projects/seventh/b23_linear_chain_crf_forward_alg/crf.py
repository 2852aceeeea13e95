import torch
import torch.nn as nn


class CRF(nn.Module):
    def __init__(self, num_tags):
        super(CRF, self).__init__()
        self.num_tags = num_tags
        self.start = nn.Parameter(torch.empty(num_tags).uniform_(-0.1, 0.1))
        self.end = nn.Parameter(torch.empty(num_tags).uniform_(-0.1, 0.1))
        self.trans = nn.Parameter(torch.empty(num_tags, num_tags).uniform_(-0.1, 0.1))

    def _numerator(self, em, tags, mask):
        b, t, _ = em.shape
        ar = torch.arange(b)
        score = self.start[tags[:, 0]] + em[ar, 0, tags[:, 0]]
        for i in range(1, t):
            s = self.trans[tags[:, i - 1], tags[:, i]] + em[ar, i, tags[:, i]]
            score = score + s * mask[:, i].float()
        last = mask.long().sum(1) - 1
        return score + self.end[tags[ar, last]]

    def _normalizer(self, em, mask):
        alpha = self.start + em[:, 0]
        for i in range(1, em.size(1)):
            scores = alpha.unsqueeze(2) + self.trans.unsqueeze(0) + em[:, i].unsqueeze(1)
            new_alpha = torch.logsumexp(scores, dim=1)
            done = ~mask[:, i]
            new_alpha[done] = alpha[done]  # BUG
            alpha = new_alpha
        return torch.logsumexp(alpha + self.end, dim=1)

    def forward(self, emissions, tags, mask):
        return (self._normalizer(emissions, mask) - self._numerator(emissions, tags, mask)).mean()
