import torch
import torch.nn as nn
import torch.nn.functional as F


class ConvGRU(nn.Module):
    def __init__(self, hid, inp):
        super(ConvGRU, self).__init__()
        self.convz = nn.Conv2d(hid + inp, hid, 3, padding=1)
        self.convr = nn.Conv2d(hid + inp, hid, 3, padding=1)
        self.convq = nn.Conv2d(hid + inp, hid, 3, padding=1)

    def forward(self, h, x):
        hx = torch.cat([h, x], 1)
        z = self.convz(hx).sigmoid_()
        r = self.convr(hx).sigmoid_()
        q = self.convq(torch.cat([r * h, x], 1)).tanh_()
        return (1 - z) * h + z * q


class MotionEncoder(nn.Module):
    def __init__(self, corr_ch, out=8):
        super(MotionEncoder, self).__init__()
        self.convc = nn.Conv2d(corr_ch, out, 1)
        self.convf = nn.Conv2d(2, out, 3, padding=1)
        self.conv = nn.Conv2d(2 * out, out - 2, 3, padding=1)

    def forward(self, flow, corr):
        c = F.relu_(self.convc(corr))
        f = F.relu_(self.convf(flow))
        o = F.relu_(self.conv(torch.cat([c, f], 1)))
        return torch.cat([o, flow], 1)


class UpdateBlock(nn.Module):
    def __init__(self, corr_ch, hid=8):
        super(UpdateBlock, self).__init__()
        self.encoder = MotionEncoder(corr_ch)
        self.gru = ConvGRU(hid, 8 + hid)
        self.head = nn.Sequential(nn.Conv2d(hid, 8, 3, padding=1), nn.ReLU(inplace=True), nn.Conv2d(8, 2, 3, padding=1))

    def forward(self, net, inp, corr, flow):
        net = self.gru(net, torch.cat([inp, self.encoder(flow, corr)], 1))
        return net, self.head(net)
