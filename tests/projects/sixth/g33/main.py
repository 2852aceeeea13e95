import random

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim

from dann import DANN

manual_seed = 33
random.seed(manual_seed)
torch.manual_seed(manual_seed)
torch.set_num_threads(1)

batch_size = 32
n_epoch = 3
my_net = DANN(5, 2)
optimizer = optim.Adam(my_net.parameters(), lr=1e-3)
loss_class = nn.CrossEntropyLoss()
loss_domain = nn.BCEWithLogitsLoss()

src = torch.randn(96, 5)
src_y = (src[:, 0] + src[:, 1] > 0).long()
tgt = torch.randn(96, 5)
tgt[:, 2:] += 1.5
tgt_y = (tgt[:, 0] + tgt[:, 1] > 0).long()

input_img = torch.zeros(batch_size, 5)
class_label = torch.zeros(batch_size).long()
domain_label = torch.zeros(batch_size)

for epoch in range(n_epoch):
    len_dataloader = 96 // batch_size
    i = 0
    while i < len_dataloader:
        p = float(i + epoch * len_dataloader) / n_epoch / len_dataloader
        alpha = 2. / (1. + np.exp(-10 * p)) - 1

        my_net.zero_grad()
        sl = slice(i * batch_size, (i + 1) * batch_size)
        input_img.copy_(src[sl])
        class_label.copy_(src_y[sl])
        domain_label.fill_(0)
        class_output, domain_output = my_net(input_img, alpha)
        err_s = loss_class(class_output, class_label)
        err_s += loss_domain(domain_output, domain_label)
        err_s.backward()

        input_img.copy_(tgt[sl])
        domain_label.fill_(1)
        _, domain_output = my_net(input_img, alpha)
        err_t_domain = loss_domain(domain_output, domain_label)
        err_t_domain.backward()
        optimizer.step()
        i += 1
    my_net.eval()
    with torch.no_grad():
        pred, _ = my_net(tgt, 0)
        n_correct = (pred.argmax(1) == tgt_y).sum().item()
    my_net.train()
    print('epoch: %d, err_s %.4f, err_t_domain %.4f, acc %.3f' % (epoch, err_s.item(), err_t_domain.item(), n_correct / 96))
