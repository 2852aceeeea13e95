import torch

LOSSES = {}


def register(name, weight=1.0):
    def wrap(fn):
        LOSSES[name] = (weight, fn)
        return fn
    return wrap


def stft_mag(x, n_fft):
    win = torch.hann_window(n_fft)
    s = torch.stft(x, n_fft, hop_length=n_fft // 4, window=win, return_complex=True)
    return (s.real ** 2 + s.imag ** 2 + 1e-7).sqrt()


@register("magnitude")
def fro_distance(pred, ref):
    return torch.norm(stft_mag(pred, 64) - stft_mag(ref, 64))


@register("log_magnitude", weight=0.5)
def log_distance(pred, ref):
    return (stft_mag(pred, 32).log() - stft_mag(ref, 32).log()).abs().mean()


@register("waveform", weight=0.1)
def wave_l1(pred, ref):
    return (pred - ref).abs().mean()


def terms(pred, ref, log=None):
    for name, (w, fn) in LOSSES.items():
        value = fn(pred, ref)
        if log is not None:
            log[name] = value.item()
        yield value if w == 1.0 else w * value


def total_loss(pred, ref, log=None):
    it = terms(pred, ref, log)
    total = next(it)
    for t in it:
        total += t  # BUG
    return total
