from torch import nn


class Classifier(nn.Module):
    def __init__(self, d, k):
        super().__init__()
        self.fc1 = nn.Linear(d, 32)
        self.act = nn.Sigmoid()
        self.fc2 = nn.Linear(32, k)

    def forward(self, x):
        return self.fc2(self.act(self.fc1(x)))
