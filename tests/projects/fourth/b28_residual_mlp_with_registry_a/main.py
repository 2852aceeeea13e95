import torch

from resnetlib.builder import build_from_cfg
from resnetlib.hooks import EMAHook, LrHook
from resnetlib.runner import Runner
import resnetlib.nets  # noqa: F401

model_cfg = dict(
    type="ResMLP", width=16, depth=3, out=2,
    norm=dict(type="RMSNorm"),
    act=dict(type="TanhShrinkless", gain=1.2),
    drop_path=0.1,
)
train_cfg = dict(max_iters=12, lr=0.01, interval=4)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = build_from_cfg(model_cfg)
    runner = Runner(model, train_cfg)
    runner.register(LrHook(warmup=4), EMAHook(0.9))
    runner.run()


if __name__ == "__main__":
    main()
