import torch


def degree(idx, n):
    d = torch.zeros(n)
    d.scatter_add_(0, idx, torch.ones(idx.numel()))
    return d


def gcn_norm(edge_index, n):
    row, col = edge_index
    deg = degree(col, n)
    dis = deg.pow_(-0.5)
    dis.masked_fill_(dis == float("inf"), 0)
    return dis[row] * dis[col]


def scatter(src, idx, n, reduce="sum"):
    out = torch.zeros(n, src.size(1))
    out.index_add_(0, idx, src)
    if reduce == "mean":
        cnt = degree(idx, n).clamp_(min=1).unsqueeze(1)
        out.div_(cnt)
    return out


def softmax(e, idx, n):
    m = torch.full((n, e.size(1)), -1e9)
    m.scatter_reduce_(0, idx.unsqueeze(1).expand_as(e), e.detach(), "amax")
    e = (e - m[idx]).exp()
    return e / (scatter(e, idx, n)[idx] + 1e-16)
