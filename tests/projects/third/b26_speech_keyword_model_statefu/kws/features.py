import math
import torch
import torch.nn as nn


class LogMel(nn.Module):
    def __init__(self, n_fft=64, hop=32, n_mels=10):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        fb = torch.rand(n_fft // 2 + 1, n_mels)
        fb /= fb.sum(0, keepdim=True)
        self.register_buffer('fb', fb)
        self.register_buffer('window', torch.hann_window(n_fft))
        self.register_buffer('running_mean', torch.zeros(n_mels))
        self.register_buffer('count', torch.zeros(()))

    def forward(self, wav):
        spec = torch.stft(wav, self.n_fft, self.hop, window=self.window, return_complex=True, center=False)
        mel = spec.abs().pow_(2).transpose(1, 2) @ self.fb
        mel.add_(1e-6).log_()
        if self.training:
            self.count += 1
            self.running_mean.lerp_(mel.mean((0, 1)), 1 / self.count.item())
        mel -= self.running_mean
        return mel
