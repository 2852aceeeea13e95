import torch

from kd.criterion import KDLoss
from kd.loop import train_one_epoch
from kd.models import create_model

if __name__ == "__main__":
    torch.manual_seed(0)
    teacher, student = create_model("big"), create_model("small")
    loader = [(torch.randn(8, 10), torch.randint(0, 5, (8,))) for _ in range(3)]
    opt = torch.optim.SGD(student.parameters(), lr=0.05)
    print(train_one_epoch(student, teacher, KDLoss(temperature=2.0), loader, opt))
