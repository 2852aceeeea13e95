import torch


def train_one_epoch(student, teacher, criterion, loader, optimizer):
    student.train()
    teacher.eval()
    total = 0.0
    for x, y in loader:
        with torch.no_grad():
            t_logits = teacher(x)
        loss = criterion(student(x), t_logits, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total
