import torch
import torch.nn.functional as F


def blobs(n, dim, classes, centers):
    y = torch.randint(0, classes, (n,))
    x = centers[y].clone()
    x += 0.4 * torch.randn(n, dim)
    return x, y


def train(model, aux, conf):
    opt = torch.optim.AdamW(model.parameters(), lr=5e-3)
    centers = torch.randn(conf["classes"], conf["dim"])
    for step in range(conf["steps"]):
        x, y = blobs(24, conf["dim"], conf["classes"], centers)
        logits, route = model(x)
        loss = F.cross_entropy(logits, y) + aux(route)
        opt.zero_grad()
        loss.backward()
        for p in model.parameters():
            if p.grad is not None:
                p.grad.clamp_(-0.5, 0.5)
        opt.step()
        if step % 3 == 0:
            print(step, round(loss.item(), 4), [round(v, 1) for v in model.moe.load.tolist()])
