import torch


def synthetic_batches(cfg):
    g = torch.Generator().manual_seed(cfg["seed"])
    modes = torch.randn(5, cfg["dim"], generator=g)
    for _ in range(cfg["batches"]):
        k = torch.randint(0, 5, (cfg["batch_size"],), generator=g)
        x = modes[k]
        x += 0.1 * torch.randn(x.shape, generator=g)
        yield x


def train_one_epoch(model, losses, opt, cfg):
    model.train()
    logs = {}
    for x in synthetic_batches(cfg):
        out = model(x)
        total = 0
        for fn in losses:
            value = fn(out)
            total = total + value
            logs[fn.name] = value.item()
        opt.zero_grad()
        total.backward()
        for p in model.parameters():
            if p.grad is not None:
                p.grad.clamp_(-1, 1)
        opt.step()
    return logs
