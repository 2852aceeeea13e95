import torch
import torch.nn as nn


class AccumulatingEngine:
    """mixed precision + gradient accumulation"""

    def __init__(self, model, optimizer, accum=2, amp=None, max_norm=5.0):
        self.model, self.optimizer = model, optimizer
        self.accum, self.max_norm = accum, max_norm
        self.amp = torch.cuda.is_available() if amp is None else amp
        self.scaler = torch.amp.GradScaler('cuda', enabled=self.amp)
        self.criterion = nn.CTCLoss(blank=0, zero_infinity=True)
        self.micro = 0

    def update(self):
        self.scaler.unscale_(self.optimizer)
        nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
        self.scaler.step(self.optimizer)  # BUG
        self.scaler.update()
        self.optimizer.zero_grad()

    def forward_loss(self, images, targets, lengths):
        with torch.autocast('cuda', enabled=self.amp):
            preds = self.model(images)
        T, b, _ = preds.shape
        sizes = torch.full((b,), T, dtype=torch.long)
        return self.criterion(preds.float(), targets, sizes, lengths) / self.accum

    def train_step(self, images, targets, lengths):
        loss = self.forward_loss(images, targets, lengths)
        if self.micro > 0 and self.micro % self.accum == 0:
            self.update()
        self.scaler.scale(loss).backward()
        self.micro += 1
        return loss.item() * self.accum

    def flush(self):
        if self.micro:
            self.update()
        self.micro = 0
