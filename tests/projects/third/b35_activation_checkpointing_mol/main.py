import torch
import torch.nn.functional as F
from mol.config import ModelConfig
from mol.schnet import SchNet


def molecules(n_mol=4, n_atoms=5):
    z = torch.randint(0, 5, (n_mol * n_atoms,))
    pos = torch.rand(n_mol * n_atoms, 3).mul_(3)
    batch = torch.arange(n_mol).repeat_interleave(n_atoms)
    y = torch.zeros(n_mol).index_add_(0, batch, z.float())
    y -= 2.0 * n_atoms
    return z, pos, batch, y


def train(cfg, steps=4):
    model = SchNet(cfg).train()
    opt = torch.optim.Adam(model.parameters(), lr=5e-4)
    mae = torch.zeros(())
    for step in range(steps):
        *inputs, y = molecules()
        pred = model(*inputs)
        loss = F.mse_loss(pred, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        mae += (pred.detach() - y).abs().mean()
    print('mae', (mae / steps).item())


if __name__ == '__main__':
    torch.manual_seed(0)
    torch.set_num_threads(1)
    # big batches do not fit otherwise
    train(ModelConfig(grad_checkpointing=True))
