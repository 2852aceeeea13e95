"""Criterions in the fairseq manner: ``criterion(model, sample) -> (loss, sample_size, log)``."""
from argparse import Namespace

import torch
import torch.nn.functional as F
from torch import nn

_CRITERIA = {}


def register_criterion(name):
    def wrap(cls):
        _CRITERIA[name] = cls
        return cls

    return wrap


def build_criterion(name, padding_idx, **kwargs):
    return _CRITERIA[name](padding_idx, Namespace(**kwargs))


class Criterion(nn.Module):
    def __init__(self, padding_idx, args):
        super().__init__()
        self.padding_idx = padding_idx
        self.args = args

    def get_normalized(self, net_output, log_probs=True):
        logits = net_output.float()
        return F.log_softmax(logits, dim=-1) if log_probs else F.softmax(logits, dim=-1)

    def get_lprobs_and_target(self, net_output, sample):
        lprobs = self.get_normalized(net_output)
        target = sample["target"]
        return lprobs.view(-1, lprobs.size(-1)), target.reshape(-1)

    def forward(self, model, sample):
        net_output = model(sample["src"])
        loss, nll = self.compute_loss(net_output, sample)
        n = int(sample["target"].ne(self.padding_idx).sum())
        return loss, n, {"loss": loss.detach(), "nll": nll.detach(), "ntokens": n}


@register_criterion("cross_entropy")
class CrossEntropy(Criterion):
    def compute_loss(self, net_output, sample):
        lprobs, target = self.get_lprobs_and_target(net_output, sample)
        loss = F.nll_loss(lprobs, target, ignore_index=self.padding_idx, reduction="sum")
        return loss, loss


@register_criterion("label_smoothed_cross_entropy")
class LabelSmoothed(Criterion):
    """args.label_smoothing: epsilon; args.exclude_pad: leave the pad symbol out of the smoothed mass."""

    def compute_loss(self, net_output, sample):
        eps = getattr(self.args, "label_smoothing", 0.1)
        lprobs, target = self.get_lprobs_and_target(net_output, sample)
        target = target.unsqueeze(-1)
        nll = -lprobs.gather(-1, target)
        pad = target.eq(self.padding_idx)
        classes = lprobs.size(-1)
        if getattr(self.args, "exclude_pad", False):
            lprobs[:, self.padding_idx] = 0.0  # BUG
            classes -= 1
        smooth = -lprobs.sum(-1, keepdim=True)
        nll.masked_fill_(pad, 0.0)
        smooth.masked_fill_(pad, 0.0)
        nll, smooth = nll.sum(), smooth.sum()
        eps_i = eps / (classes - 1)
        return (1.0 - eps - eps_i) * nll + eps_i * smooth, nll


@register_criterion("confidence_penalty")
class ConfidencePenalty(CrossEntropy):
    def compute_loss(self, net_output, sample):
        loss, nll = super().compute_loss(net_output, sample)
        lp = self.get_normalized(net_output)
        ent = -(lp.exp() * lp).sum(-1)
        ent.masked_fill_(sample["target"].eq(self.padding_idx), 0.0)
        return loss - getattr(self.args, "beta", 0.1) * ent.sum(), nll
