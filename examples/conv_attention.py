"""Attention over the pixels of an image, with the channels first, and the tempting call of the kernel beside it."""

import torch
import torch.nn.functional as F
from torch import nn


class ConvAttention(nn.Module):
    def __init__(self, channels=32, heads=4):
        super().__init__()
        self.heads = heads
        self.q = nn.Conv2d(channels, channels, 1)
        self.k = nn.Conv2d(channels, channels, 1)
        self.v = nn.Conv2d(channels, channels, 1)
        self.drop = nn.Dropout(0.2)

    def parts(self, image):
        b, c, h, w = image.shape
        q = self.q(image).view(b, self.heads, c // self.heads, h * w)
        k = self.k(image).view(b, self.heads, c // self.heads, h * w)
        v = self.v(image).view(b, self.heads, c // self.heads, h * w)
        return q, k, v

    def forward(self, image):
        b, c, h, w = image.shape
        q, k, v = self.parts(image)
        energy = torch.einsum("bhci,bhcj->bhij", q, k) / (c // self.heads) ** 0.5
        print("energy", tuple(energy.shape))
        weights = torch.softmax(energy, dim=3)
        weights = self.drop(weights)
        out = torch.einsum("bhij,bhcj->bhci", weights, v)
        return out.reshape(b, c, h, w)

    def tempting(self, image):
        """The same shapes go in and come out, but the kernel takes the channels for the sequence."""
        q, k, v = self.parts(image)
        return F.scaled_dot_product_attention(q, k, v, dropout_p=0.2).reshape(image.shape)

    def correct(self, image):
        """The sequence on the last but one axis, and back; no dropout in evaluation."""
        q, k, v = (t.transpose(-2, -1) for t in self.parts(image))
        p = self.drop.p if self.drop.training else 0.0
        out = F.scaled_dot_product_attention(q, k, v, dropout_p=p)
        return out.transpose(-2, -1).reshape(image.shape)


torch.manual_seed(0)
model = ConvAttention().eval()
image = torch.randn(2, 32, 6, 7)
written = model(image)
print("correct call is the same function:", torch.allclose(written, model.correct(image), atol=1e-5))
print("tempting call is the same function:", torch.allclose(written, model.tempting(image), atol=1e-5))
print("tempting call repeats itself in eval:", torch.equal(model.tempting(image), model.tempting(image)))
