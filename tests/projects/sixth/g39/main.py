import copy

import torch
import torch.nn as nn

from dino_loss import DINOLoss, cosine_scheduler


class Head(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(i, 24), nn.GELU(), nn.Linear(24, 8))
        self.last = nn.Linear(8, o, bias=False)
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.trunc_normal_(m.weight, std=0.1)

    def forward(self, x):
        x = self.mlp(x)
        x = nn.functional.normalize(x, dim=-1)
        return self.last(x)


def cancel_gradients_last_layer(epoch, model, freeze):
    if epoch >= freeze:
        return
    for n, p in model.named_parameters():
        if "last" in n:
            p.grad = None


def clip_gradients(model, clip):
    for p in model.parameters():
        if p.grad is not None:
            norm = p.grad.data.norm(2)
            coef = clip / (norm + 1e-6)
            if coef < 1:
                p.grad.data.mul_(coef)


def main():
    torch.manual_seed(39)
    torch.set_num_threads(1)
    student = nn.Sequential(nn.Linear(6, 24), nn.ReLU(inplace=True), Head(24, 16))
    teacher = copy.deepcopy(student)
    for p in teacher.parameters():
        p.requires_grad = False
    loss_fn = DINOLoss(16, 4)
    opt = torch.optim.AdamW(student.parameters(), lr=1e-3)
    n_it = 4 * 4
    momentum = cosine_scheduler(0.95, 1.0, n_it)
    wd = cosine_scheduler(0.04, 0.4, n_it)
    it = 0
    for epoch in range(4):
        for _ in range(4):
            for g in opt.param_groups:
                g["weight_decay"] = wd[it]
            x = torch.randn(16, 6)
            crops = [x + 0.1 * torch.randn_like(x) for _ in range(2)]
            for _ in range(2):
                c = x.clone()
                c[:, torch.randint(0, 6, (2,))] = 0
                crops += [c]
            t_out = teacher(torch.cat(crops[:2]))
            loss = loss_fn(student(torch.cat(crops)), t_out, epoch)
            opt.zero_grad()
            loss.backward()
            clip_gradients(student, 1.0)
            cancel_gradients_last_layer(epoch, student, 1)
            opt.step()
            with torch.no_grad():
                m = momentum[it]
                for ps, pt in zip(student.parameters(), teacher.parameters()):
                    pt.data.mul_(m).add_((1 - m) * ps.detach().data)
            it += 1
        print(epoch, round(loss.item(), 4))


if __name__ == "__main__":
    main()
