import argparse
import random

import torch

from cyclegan import CycleGANModel

if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--pool_size', type=int, default=4)
    parser.add_argument('--lambda_cyc', type=float, default=10.0)
    parser.add_argument('--lr', type=float, default=0.0002)
    parser.add_argument('--niter', type=int, default=4)
    opt = parser.parse_args()
    torch.manual_seed(1)
    random.seed(1)
    torch.set_num_threads(1)

    model = CycleGANModel(opt)
    for it in range(opt.niter):
        A, B = torch.rand(2, 3, 16, 16), torch.rand(2, 3, 16, 16)
        for t in (A, B):
            t.sub_(0.5).div_(0.5)
        model.optimize_parameters(A, B)
        print(it, 'G %.3f D_A %.3f D_B %.3f' % (model.loss_G, model.loss_D_A, model.loss_D_B))
