def sam_step(model, sam, loss_fn, x, y, consistency=0.0):
    """One SAM step; with `consistency`, also pull the perturbed output to the clean one."""
    clean = model(x)
    loss = loss_fn(clean, y)
    loss.backward(retain_graph=consistency > 0)
    sam.ascend()  # BUG
    out = model(x)
    second = loss_fn(out, y)
    if consistency > 0:
        second = second + consistency * (out - clean).pow(2).mean()
    second.backward()
    sam.descend()
    return loss.item(), second.item()
