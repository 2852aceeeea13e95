def train(env, algo, hp):
    """Yields one info dict per update."""
    storage = algo.storage
    obs = env.reset()
    for _ in range(hp.updates):
        storage.begin(obs)
        while not storage.full:
            action, extras = algo.act(storage.current)
            obs, reward = env.step(action)
            storage.insert(obs, reward, **extras)
        loss = algo.update()
        yield dict(loss=round(loss, 4), reward=round(storage.rewards.mean().item(), 4))
