import torch

from dino import utils
from dino.loss import DINOLoss
from dino.train import train_one_epoch
from dino.vit import ViT

if __name__ == "__main__":
    torch.manual_seed(0)
    student, teacher = ViT(), ViT()
    teacher.load_state_dict(student.state_dict())
    for p in teacher.parameters():
        p.requires_grad = False
    opt = torch.optim.AdamW(student.parameters())
    crit = DINOLoss(12)
    for ep in range(2):
        loader = [[torch.randn(4, 4, 6) for _ in range(2)] for _ in range(3)]
        print(train_one_epoch(student, teacher, crit, loader, opt, utils.cosine(0.99, 1.0, 3), ep))
