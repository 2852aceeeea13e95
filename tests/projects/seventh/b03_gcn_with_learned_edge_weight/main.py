import torch
import torch.nn as nn
import torch.nn.functional as F
from gnn import WeightedGCNConv

torch.manual_seed(1)
N, E, C = 40, 120, 3


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.edge_mlp = nn.Sequential(nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 1), nn.Sigmoid())
        self.conv1 = WeightedGCNConv(8, 16)
        self.conv2 = WeightedGCNConv(16, C)

    def forward(self, x, edge_index):
        pair = torch.cat([x[edge_index[0]], x[edge_index[1]]], dim=1)
        ew = self.edge_mlp(pair).view(-1)
        x = F.relu(self.conv1(x, edge_index, ew))
        x = F.dropout(x, p=0.5, training=self.training)
        return self.conv2(x, edge_index, ew)


x = torch.randn(N, 8)
edge_index = torch.randint(0, N, (2, E))
y = torch.randint(0, C, (N,))
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
for epoch in range(10):
    model.train()
    optimizer.zero_grad()
    out = model(x, edge_index)
    loss = F.cross_entropy(out, y)
    loss.backward()
    optimizer.step()
print("done", loss.item())
