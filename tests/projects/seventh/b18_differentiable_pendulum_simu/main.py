import torch
from sim import Pendulum


def make_observations(theta0, n):
    with torch.no_grad():
        truth = Pendulum(length=1.7, damping=0.25)
        obs = truth.rollout(theta0, n)
    return obs + 0.01 * torch.randn_like(obs)


def main(iters=6):
    torch.manual_seed(0)
    theta0 = torch.linspace(0.2, 1.2, 6)
    obs = make_observations(theta0, 40)

    model = Pendulum()
    opt = torch.optim.Adam(model.parameters(), lr=0.05)
    for i in range(iters):
        opt.zero_grad()
        pred = model.rollout(theta0, 40)
        loss = torch.mean((pred - obs) ** 2)
        loss.backward()
        opt.step()
        print(i, f"{loss.item():.5f}", "L =", f"{model.log_length.exp().item():.3f}",
              "c =", f"{model.damping.item():.3f}")


if __name__ == "__main__":
    main()
