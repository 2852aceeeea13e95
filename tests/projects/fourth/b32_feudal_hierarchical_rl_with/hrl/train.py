class Session:
    """Iterates over worker updates; the manager learns every ``period`` of them."""

    def __init__(self, env, agent, args):
        self.env, self.agent, self.args = env, agent, args

    def chunk(self, obs):
        total = 0.0
        for _ in range(self.args.chunk):
            a = self.agent.act(obs)
            obs, r = self.env.step(a.item())
            self.agent.reward(r)
            total += r
        return obs, total

    def __iter__(self):
        obs = self.env.observe()
        log = {"manager": 0.0}
        for u in range(self.args.updates):
            self.agent.choose_goal(obs)
            obs, log["reward"] = self.chunk(obs)
            log["worker"] = self.agent.worker.update()
            if (u + 1) % self.args.period == 0:
                log["manager"] = self.agent.manager.update()
            yield dict(log)
