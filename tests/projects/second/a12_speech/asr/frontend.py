import torch
from torch import nn


class LogMel(nn.Module):
    def __init__(self, n_fft=64, n_mels=8):
        super().__init__()
        self.register_buffer("window", torch.hann_window(n_fft))
        self.mel = nn.Parameter(torch.rand(n_mels, n_fft // 2 + 1))
        self.n_fft = n_fft

    def forward(self, wav):
        spec = torch.stft(wav, self.n_fft, window=self.window, return_complex=True).abs()
        mel = torch.matmul(self.mel, spec)
        return mel.clamp(min=1e-5).log()
