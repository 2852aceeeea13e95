import torch


class TSPDataset(torch.utils.data.Dataset):
    def __init__(self, size, n_cities):
        self.points = torch.rand(size, n_cities, 2)

    def __len__(self):
        return len(self.points)

    def __getitem__(self, i):
        return self.points[i]


def tour_length(points, tour):
    p = points.gather(1, tour.unsqueeze(-1).expand(-1, -1, 2))
    return (p - p.roll(-1, 1)).norm(dim=-1).sum(1)
