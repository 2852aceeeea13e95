import torch, torch.nn as nn

class EGCL(nn.Module):
    '''E(n)-equivariant convolution, Satorras et al.'''
    def __init__(s, nf, hid, tanh=True):
        super().__init__()
        s.edge = nn.Sequential(nn.Linear(2 * nf + 1, hid), nn.SiLU(), nn.Linear(hid, hid), nn.SiLU())
        s.node = nn.Sequential(nn.Linear(nf + hid, hid), nn.SiLU(), nn.Linear(hid, nf))
        out = nn.Linear(hid, 1, bias=False)
        nn.init.xavier_uniform_(out.weight, gain=0.01)
        s.coord = nn.Sequential(nn.Linear(hid, hid), nn.SiLU(), out)
        s.tanh = tanh

    def coord2radial(s, x, row, col):
        diff = x[row] - x[col]
        radial = torch.sum(diff ** 2, 1, keepdim=True)
        diff /= radial.detach().sqrt() + 1.0  # BUG
        return radial, diff

    def forward(s, h, x, row, col):
        radial, diff = s.coord2radial(x, row, col)
        m = s.edge(torch.cat([h[row], h[col], radial], 1))
        w = s.coord(m)
        if s.tanh: w = torch.tanh(w)
        n = h.size(0)
        shift = torch.zeros_like(x).index_add_(0, row, diff * w)
        count = torch.zeros(n, 1).index_add_(0, row, torch.ones_like(radial))
        x = x + shift / count.clamp_(min=1)
        agg = torch.zeros(n, m.size(1)).index_add_(0, row, m)
        return h + s.node(torch.cat([h, agg], 1)), x

class EGNN(nn.Module):
    def __init__(s, species, nf=12, hid=16, depth=2):
        super().__init__()
        s.emb = nn.Embedding(species, nf)
        s.convs = nn.ModuleList([EGCL(nf, hid) for _ in range(depth)])
        s.out = nn.Sequential(nn.Linear(nf, hid), nn.SiLU(), nn.Linear(hid, 1))

    def forward(s, z, x, row, col, batch, n_graphs):
        h = s.emb(z)
        for c in s.convs:
            h, x = c(h, x, row, col)
        e = torch.zeros(n_graphs, 1).index_add_(0, batch, s.out(h))
        return e.squeeze(1), x

def fully_connected(sizes):
    rows, cols, batch, off = [], [], [], 0
    for g, n in enumerate(sizes):
        i, j = torch.meshgrid(torch.arange(n), torch.arange(n), indexing='ij')
        keep = i != j
        rows.append(i[keep] + off); cols.append(j[keep] + off)
        batch.append(torch.full((n,), g)); off += n
    return torch.cat(rows), torch.cat(cols), torch.cat(batch)

def energy_force_loss(model, z, x, row, col, batch, e_ref, f_ref, w=10.):
    x = x.detach().requires_grad_()
    e, _ = model(z, x, row, col, batch, len(e_ref))
    f = -torch.autograd.grad(e.sum(), x, create_graph=True)[0]
    return (e - e_ref).pow(2).mean() + w * (f - f_ref).pow(2).mean()

# --- driver ---
torch.manual_seed(16)
row, col, batch = fully_connected([4, 5, 3])
z, x = torch.randint(0, 4, (12,)), torch.randn(12, 3)
net = EGNN(4)
opt = torch.optim.Adam(net.parameters(), 1e-3)
for _ in range(3):
    loss = energy_force_loss(net, z, x, row, col, batch, torch.randn(3), torch.randn(12, 3))
    opt.zero_grad(); loss.backward(); opt.step()
    print(loss.item())
