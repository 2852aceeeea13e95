import torch

from gp.config import Options
from gp.data import noisy_sines
from gp.kernels import build_kernel
from gp.model import DeepKernelGP
from gp.optim import OptimizerBundle
from gp.train import fit


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    opt = Options(kernel="rbf+linear", inducing=6, steps=6)
    x, y = noisy_sines(24)
    model = DeepKernelGP(build_kernel(opt.kernel), inducing=opt.inducing, feat=2)
    bundle = OptimizerBundle({
        "features": (model.feature_parameters(), 5e-3),
        "kernel": (model.kernel.parameters(), 2e-2),
        "variational": (model.variational_parameters(), 2e-2),
    })
    for i, terms in enumerate(fit(model, bundle, x, y, opt)):
        if i % 2 == 0:
            print(i, {k: round(v, 4) for k, v in terms.items()})


if __name__ == "__main__":
    main()
