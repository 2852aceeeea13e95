import torch
from torch.distributions import Categorical


def rollout(model, batch, length):
    cache = model.new_cache(batch)
    tok = torch.zeros(batch, 1, dtype=torch.long)
    logps = []
    for pos in range(length):
        logits = model(tok, cache, pos)[:, -1]
        dist = Categorical(logits=logits)
        tok = dist.sample().unsqueeze(1)
        logps.append(dist.log_prob(tok.squeeze(1)))
    return torch.stack(logps, 1), tok


def reinforce_step(model, opt, reward_fn, batch=4, length=6):
    logp, last = rollout(model, batch, length)
    r = reward_fn(last)
    loss = -(logp.sum(1) * (r - r.mean())).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()
