import torch


def truncated(model, opt, data, k):
    n = data.size(0)
    model.reset(n)
    loss = torch.zeros(())
    out = []
    for t in range(data.size(1) - 1):
        loss = loss + (model(data[:, t]) - data[:, t + 1]).pow(2).mean()
        if (t + 1) % k == 0:
            opt.zero_grad()
            loss.backward()
            opt.step()
            out.append(loss.detach())
            model.detach_()
            loss = torch.zeros(())
    return out
