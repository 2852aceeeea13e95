import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim


class BinOp():
    def __init__(self, model):
        self.target_modules = []
        self.saved_params = []
        mods = [m for m in model.modules() if isinstance(m, (nn.Conv2d, nn.Linear))]
        for m in mods[1:-1]:
            self.saved_params.append(m.weight.data.clone())
            self.target_modules.append(m.weight)
        self.n = len(self.target_modules)

    def binarization(self):
        self.mean_center()
        self.clamp()
        self.save_params()
        self.binarize()

    def mean_center(self):
        for i in range(self.n):
            neg_mean = self.target_modules[i].data.mean(1, keepdim=True).mul(-1).expand_as(self.target_modules[i].data)
            self.target_modules[i].data = self.target_modules[i].data.add(neg_mean)

    def clamp(self):
        for i in range(self.n):
            self.target_modules[i].data.clamp_(-1.0, 1.0)

    def save_params(self):
        for i in range(self.n):
            self.saved_params[i].copy_(self.target_modules[i].data)

    def binarize(self):
        for i in range(self.n):
            w = self.target_modules[i].data
            m = w.abs().flatten(1).mean(1).view(-1, *[1] * (w.dim() - 1))
            w.sign_().mul_(m)

    def restore(self):
        for i in range(self.n):
            self.target_modules[i].data.copy_(self.saved_params[i])

    def update_grad(self):
        for i in range(self.n):
            w = self.target_modules[i]
            m = w.data.abs().flatten(1).mean(1).view(-1, *[1] * (w.dim() - 1)).expand_as(w).clone()
            m[w.data.lt(-1.0)] = 0
            m[w.data.gt(1.0)] = 0
            w.grad.data.mul_(m)


class BinActive(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.sign()

    @staticmethod
    def backward(ctx, grad_output):
        input, = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[input.ge(1)] = 0
        grad_input[input.le(-1)] = 0
        return grad_input


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 8, 3, padding=1)
        self.bn2 = nn.BatchNorm2d(8)
        self.fc1 = nn.Linear(8 * 4, 16)
        self.fc2 = nn.Linear(16, 3)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)), inplace=True)
        x = self.bn2(F.max_pool2d(x, 2))
        x = F.relu(self.conv2(BinActive.apply(x)), inplace=True)
        x = F.max_pool2d(x, 2).view(x.size(0), -1)
        x = F.relu(self.fc1(x), inplace=True)
        return self.fc2(x)


torch.manual_seed(47)
torch.set_num_threads(1)
model = Net()
bin_op = BinOp(model)
optimizer = optim.Adam(model.parameters(), lr=5e-3)
for it in range(10):
    y = torch.randint(0, 3, (24,))
    x = torch.rand(24, 1, 8, 8)
    for i in range(24):
        x[i, 0, :, 2 * y[i]:2 * y[i] + 2] += 0.8
    bin_op.binarization()
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    bin_op.restore()
    bin_op.update_grad()
    optimizer.step()
    if it % 3 == 0:
        print(it, round(loss.item(), 4))
