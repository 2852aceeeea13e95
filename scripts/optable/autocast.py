"""Which ops autocast runs in another dtype (CUDA's policy), from PyTorch's own header `ATen/autocast_mode.h`."""

from __future__ import annotations

import re
from pathlib import Path

import torch

HEADER = Path(torch.__file__).parent / "include" / "ATen" / "autocast_mode.h"

LISTS = {
    "lower": ("AT_FORALL_LOWER_PRECISION_FP",),
    "fp32": ("AT_FORALL_FP32", "AT_FORALL_FP32_SET_OPT_DTYPE"),
    "widest": ("AT_FORALL_PROMOTE",),
}

# Functions and modules that are one of those ops under another name.
SPELLINGS = {
    "linear": ("nn.Linear", "nn.LazyLinear"),
    **{f"conv{d}d": (f"nn.Conv{d}d", f"nn.LazyConv{d}d") for d in (1, 2, 3)},
    **{f"conv_transpose{d}d": (f"nn.ConvTranspose{d}d",) for d in (1, 2, 3)},
    "matmul": ("linalg_matmul", "tensordot"),
    "prelu": ("nn.PReLU",),
    "scaled_dot_product_attention": ("nn.MultiheadAttention", "multi_head_attention_forward"),
    "softmax": ("nn.Softmax", "nn.Softmax2d", "special_softmax"),
    "log_softmax": ("nn.LogSoftmax", "special_log_softmax"),
    "layer_norm": ("nn.LayerNorm",),
    "group_norm": ("nn.GroupNorm",),
    "rms_norm": ("nn.RMSNorm",),
    "softplus": ("nn.Softplus",),
    "nll_loss": ("nn.NLLLoss", "cross_entropy", "nn.CrossEntropyLoss"),
    "mse_loss": ("nn.MSELoss",),
    "l1_loss": ("nn.L1Loss",),
    "smooth_l1_loss": ("nn.SmoothL1Loss",),
    "kl_div": ("nn.KLDivLoss",),
    "binary_cross_entropy_with_logits": ("nn.BCEWithLogitsLoss",),
}


def policies() -> dict[str, str]:
    """Policy -> the names of its ops, separated by spaces."""
    text = HEADER.read_text(encoding="utf-8").replace("\\\n", " ")
    found: dict[str, str] = {}
    for policy, macros in LISTS.items():
        names: set[str] = set()
        for macro in macros:
            body = re.search(rf"#define {macro}\(_\)(.*)", text)
            if body is None:
                raise LookupError(f"{macro} is not in {HEADER}")
            for name in re.findall(r"_\((\w+)", body.group(1)):
                names.update((name, *SPELLINGS.get(name, ())))
        found[policy] = " ".join(sorted(names))
    return found
