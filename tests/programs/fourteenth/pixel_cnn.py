import torch
from torch import nn
import torch.nn.functional as F


class MaskedConv2d(nn.Conv2d):
    """Raster-order causal convolution; kind 'A' also hides the pixel itself."""

    def __init__(self, kind, *args, **kwargs):
        super().__init__(*args, **kwargs)
        assert kind in "AB"
        _, _, kh, kw = self.weight.shape
        mask = torch.ones_like(self.weight)
        mask[:, :, kh // 2, kw // 2 + (kind == "B"):] = 0
        mask[:, :, kh // 2 + 1:] = 0
        self.register_buffer("mask", mask)

    def forward(self, x):
        self.weight.data.mul_(self.mask)
        return super().forward(x)


class GatedResidual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = MaskedConv2d("B", width, 2 * width, 3, padding=1)
        self.out = nn.Conv2d(width, width, 1)

    def forward(self, x):
        a, b = self.conv(x).chunk(2, dim=1)
        y = self.out(torch.tanh(a) * torch.sigmoid(b))
        y += x
        return y


class PixelCNN(nn.Module):
    def __init__(self, levels=4, width=10, depth=2):
        super().__init__()
        self.levels = levels
        self.embed = nn.Embedding(levels, width)
        self.first = MaskedConv2d("A", width, width, 5, padding=2)
        self.blocks = nn.Sequential(*(GatedResidual(width) for _ in range(depth)))
        self.head = nn.Sequential(nn.ReLU(inplace=True), nn.Conv2d(width, levels, 1))

    def forward(self, image):
        x = self.embed(image).permute(0, 3, 1, 2)
        return self.head(self.blocks(self.first(x)))

    def bits_per_pixel(self, image):
        return F.cross_entropy(self(image), image) / torch.log(torch.tensor(2.0))

    @torch.no_grad()
    def sample(self, n, side, temperature=1.0):
        image = torch.zeros(n, side, side, dtype=torch.long)
        for r in range(side):
            for c in range(side):
                logits = self(image)[:, :, r, c].div_(temperature)
                image[:, r, c] = torch.multinomial(logits.softmax(-1), 1).squeeze(1)
        return image

    @torch.no_grad()
    def complete(self, image, known):
        filled = image.clone()
        filled[~known] = 0
        for r, c in (~known[0]).nonzero().tolist():
            filled[:, r, c] = self(filled)[:, :, r, c].argmax(1)
        return filled


class PolyakCopy:
    def __init__(self, model, decay):
        self.decay = decay
        self.shadow = {k: v.detach().clone() for k, v in model.state_dict().items()}

    @torch.no_grad()
    def update(self, model):
        for k, v in model.state_dict().items():
            self.shadow[k].lerp_(v, 1 - self.decay) if v.is_floating_point() else self.shadow[k].copy_(v)


def checkers(n, side, levels):
    grid = torch.arange(side)
    board = (grid.unsqueeze(0) // 2 + grid.unsqueeze(1) // 2) % levels
    shift = torch.randint(0, levels, (n, 1, 1))
    images = (board + shift) % levels
    noise = torch.rand(n, side, side) < 0.05
    images[noise] = torch.randint(0, levels, (int(noise.sum()),))
    return images


# --- driver ---
torch.manual_seed(1)
model = PixelCNN()
polyak = PolyakCopy(model, 0.9)
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for _ in range(4):
    bpp = model.bits_per_pixel(checkers(6, 8, 4))
    opt.zero_grad()
    bpp.backward()
    opt.step()
    polyak.update(model)
    print(bpp.item())
model.load_state_dict(polyak.shadow)
print(model.sample(1, 4))
known = torch.ones(2, 8, 8, dtype=torch.bool)
known[:, 6:] = False
print(model.complete(checkers(2, 8, 4), known).shape)
