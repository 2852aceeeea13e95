import copy

import torch
import torch.nn as nn


def _concat(xs):
    return torch.cat([x.reshape(-1) for x in xs])


class Architect(object):
    def __init__(self, model, momentum=0.9, wd=3e-4, lr=3e-3):
        self.network_momentum, self.wd = momentum, wd
        self.model = model
        self.optimizer = torch.optim.Adam(model.arch_parameters(), lr=lr, betas=(0.5, 0.999))

    def _unrolled(self, x, y, eta, net_opt):
        loss = self.model.loss(x, y)
        weights = self.model.weights()
        theta = _concat(weights).data
        try:
            moment = _concat(net_opt.state[v]['momentum_buffer'] for v in weights).mul_(self.network_momentum)
        except KeyError:
            moment = torch.zeros_like(theta)
        dtheta = _concat(torch.autograd.grad(loss, weights)).data
        dtheta += self.wd * theta
        theta = theta.sub(moment.add_(dtheta), alpha=eta)
        new = copy.deepcopy(self.model)
        o = 0
        for p in new.weights():
            p.data.copy_(theta[o:o + p.numel()].view_as(p))
            o += p.numel()
        return new

    def step(self, xt, yt, xv, yv, eta, net_opt):
        self.optimizer.zero_grad()
        unrolled = self._unrolled(xt, yt, eta, net_opt)
        loss = unrolled.loss(xv, yv)
        loss.backward()
        dalpha = [v.grad for v in unrolled.arch_parameters()]
        vector = [v.grad.data for v in unrolled.weights()]
        implicit = self._hessian_vector_product(vector, xt, yt)
        for g, ig in zip(dalpha, implicit):
            g.data.sub_(ig.data, alpha=eta)
        for v, g in zip(self.model.arch_parameters(), dalpha):
            if v.grad is None:
                v.grad = g.data.clone()
            else:
                v.grad.data.copy_(g.data)
        self.optimizer.step()
        return loss.item()

    def _hessian_vector_product(self, vector, x, y, r=1e-2):
        R = r / _concat(vector).norm()
        for p, v in zip(self.model.weights(), vector):
            p.data.add_(R * v)
        grads_p = torch.autograd.grad(self.model.loss(x, y), self.model.arch_parameters())
        for p, v in zip(self.model.weights(), vector):
            p.data.sub_(2 * R * v)
        grads_n = torch.autograd.grad(self.model.loss(x, y), self.model.arch_parameters())
        for p, v in zip(self.model.weights(), vector):
            p.data.add_(R * v)
        return [(a - b).div_(2 * R) for a, b in zip(grads_p, grads_n)]
