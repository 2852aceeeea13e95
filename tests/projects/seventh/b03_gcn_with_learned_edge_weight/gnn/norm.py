import torch


def add_self_loops(edge_index, edge_weight, num_nodes, fill=0.0):
    loop = torch.arange(num_nodes).repeat(2, 1)
    edge_index = torch.cat([edge_index, loop], dim=1)
    edge_weight = torch.cat([edge_weight, edge_weight.new_full((num_nodes,), fill)])
    return edge_index, edge_weight


def gcn_norm(edge_index, edge_weight, num_nodes):
    row, col = edge_index
    deg = edge_weight.new_zeros(num_nodes).index_add(0, col, edge_weight)
    deg_inv_sqrt = deg.clamp(min=0).rsqrt()
    deg_inv_sqrt[deg_inv_sqrt == float("inf")] = 0  # BUG
    return deg_inv_sqrt[row] * edge_weight * deg_inv_sqrt[col]
