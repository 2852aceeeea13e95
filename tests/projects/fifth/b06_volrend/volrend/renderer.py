import torch
from torch import nn

from . import composite
from .sampling import deltas, stratified


class Field(nn.Module):
    def __init__(self, hidden=16, freqs=2):
        super().__init__()
        self.freqs = freqs
        self.net = nn.Sequential(
            nn.Linear(3 + 6 * freqs, hidden), nn.ReLU(inplace=True),
            nn.Linear(hidden, hidden), nn.ReLU(inplace=True),
            nn.Linear(hidden, 4),
        )

    def encode(self, x):
        feats = [x]
        for k in range(self.freqs):
            feats += [torch.sin(2.0 ** k * x), torch.cos(2.0 ** k * x)]
        return torch.cat(feats, -1)

    def forward(self, x):
        out = self.net(self.encode(x))
        return out[..., 0], torch.sigmoid(out[..., 1:])


class VolumeRenderer(nn.Module):
    """Render rays through a field.

    Parameters
    ----------
    method : "cumprod" (default) or "scan". The scan supports ``early_stop``.
    early_stop : drop samples once transmittance is under this value (scan only).
    white_bg : composite on white.
    """

    def __init__(self, field=None, near=1.0, far=3.0, n_samples=8, method="cumprod",
                 early_stop=0.0, white_bg=True):
        super().__init__()
        self.field = field if field is not None else Field()
        self.near, self.far, self.n = near, far, n_samples
        self.method, self.early_stop, self.white_bg = method, early_stop, white_bg

    def weights(self, sigma, dt):
        alpha = composite.density_to_alpha(sigma, dt)
        if self.method == "scan":
            T = composite.transmittance_scan(alpha, self.early_stop)
        else:
            T = composite.transmittance_cumprod(alpha)
        return alpha * T

    def forward(self, origins, dirs):
        z = stratified(self.near, self.far, self.n, origins.shape[0], self.training)
        pts = origins[:, None] + dirs[:, None] * z[..., None]
        sigma, rgb = self.field(pts)
        w = self.weights(sigma, deltas(z))
        acc = w.sum(-1)
        color = (w[..., None] * rgb).sum(-2)
        if self.white_bg:
            color += (1.0 - acc)[..., None]
        return {"rgb": color, "depth": (w * z).sum(-1), "acc": acc}
