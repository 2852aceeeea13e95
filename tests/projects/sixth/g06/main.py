# Neural style transfer toy (after the pytorch tutorial)
from __future__ import print_function

import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

torch.manual_seed(0)
torch.set_num_threads(1)


class ContentLoss(nn.Module):
    def __init__(self, target):
        super(ContentLoss, self).__init__()
        self.target = target.detach()

    def forward(self, input):
        self.loss = F.mse_loss(input, self.target)
        return input


def gram_matrix(input):
    a, b, c, d = input.size()
    features = input.view(a * b, c * d)
    G = torch.mm(features, features.t())
    return G.div_(a * b * c * d)


class StyleLoss(nn.Module):
    def __init__(self, target_feature):
        super(StyleLoss, self).__init__()
        self.target = gram_matrix(target_feature).detach()

    def forward(self, input):
        G = gram_matrix(input)
        self.loss = F.mse_loss(G, self.target)
        return input


cnn = nn.Sequential(
    nn.Conv2d(3, 6, 3, padding=1), nn.ReLU(inplace=True),
    nn.Conv2d(6, 8, 3, padding=1), nn.ReLU(inplace=True), nn.MaxPool2d(2),
    nn.Conv2d(8, 8, 3, padding=1), nn.ReLU(inplace=True),
).eval()
for p in cnn.parameters():
    p.requires_grad_(False)


def get_model(cnn, style_img, content_img):
    cnn = copy.deepcopy(cnn)
    content_losses, style_losses = [], []
    model = nn.Sequential()
    i = 0
    for layer in cnn.children():
        if isinstance(layer, nn.Conv2d):
            i += 1
            name = 'conv_{}'.format(i)
        elif isinstance(layer, nn.ReLU):
            name = 'relu_{}'.format(i)
            # the loss modules look at the conv output, so not inplace here
            layer = nn.ReLU(inplace=False)
        else:
            name = 'pool_{}'.format(i)
        model.add_module(name, layer)
        if name == 'conv_2':
            cl = ContentLoss(model(content_img))
            model.add_module("content_loss", cl)
            content_losses.append(cl)
        if name.startswith('conv'):
            sl = StyleLoss(model(style_img))
            model.add_module("style_loss_{}".format(i), sl)
            style_losses.append(sl)
    return model, style_losses, content_losses


content = torch.rand(1, 3, 16, 16)
style = torch.rand(1, 3, 16, 16)
input_img = content.clone()
model, style_losses, content_losses = get_model(cnn, style, content)
optimizer = optim.LBFGS([input_img.requires_grad_()], max_iter=4)
run = [0]
while run[0] <= 12:
    def closure():
        input_img.data.clamp_(0, 1)
        optimizer.zero_grad()
        model(input_img)
        style_score = 0
        content_score = 0
        for sl in style_losses:
            style_score += sl.loss
        for cl in content_losses:
            content_score += cl.loss
        style_score = style_score * 1e4
        loss = style_score + content_score
        loss.backward()
        run[0] += 1
        if run[0] % 4 == 0:
            print("run {}: style {:.5f} content {:.5f}".format(run[0], style_score.item(), float(content_score)))
        return style_score + content_score
    optimizer.step(closure)
input_img.data.clamp_(0, 1)
print(input_img.mean().item())
