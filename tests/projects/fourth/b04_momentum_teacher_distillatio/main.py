import torch

from distill.config import get_config
from distill.data import make_views
from distill.hooks import HOOKS
from distill.nets import Student, Teacher
from distill.trainer import DistillTrainer


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cfg = get_config()
    student = Student(cfg["in_dim"], cfg["feat"], cfg["proj"])
    teacher = Teacher.from_student(student)
    hooks = [HOOKS[h["type"]](**{k: v for k, v in h.items() if k != "type"}) for h in cfg["hooks"]]
    tr = DistillTrainer(student, teacher, cfg, hooks)
    tr.train(make_views(cfg["in_dim"], cfg["batch"], cfg["steps"]))
    print("final", round(tr.meter.avg, 4))


if __name__ == "__main__":
    main()
