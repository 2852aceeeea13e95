from agent import PPO, GaussianPolicy, Rollout


def train(iterations=2, n=32):
    policy = GaussianPolicy(3, 2)
    algo = PPO(policy)
    for _ in range(iterations):
        roll = Rollout(n, 3, 2)
        roll.fill(policy)
        print(algo.update(roll))


if __name__ == "__main__":
    train()
