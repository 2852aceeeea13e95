import random

import torch


class ImagePool:
    def __init__(self, size):
        self.size, self.images = size, []

    def query(self, images):
        if self.size == 0:
            return images
        out = []
        for im in images.detach():
            im = im.unsqueeze(0)
            if len(self.images) < self.size:
                self.images.append(im)
                out.append(im)
            elif random.random() > 0.5:
                i = random.randrange(self.size)
                old = self.images[i].clone()
                self.images[i] = im
                out.append(old)
            else:
                out.append(im)
        return torch.cat(out, 0)
