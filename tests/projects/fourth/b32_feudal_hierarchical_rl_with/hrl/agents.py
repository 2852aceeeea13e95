from .levels import Level
from .nets import GoalHead, Perception, WorkerHead


class FeudalAgent:
    def __init__(self, perception, goal_head, worker_head, lr=5e-3):
        self.perception, self.goal_head, self.worker_head = perception, goal_head, worker_head
        self.manager = Level("manager", goal_head.parameters(), lr)
        self.worker = Level("worker", [*perception.parameters(), *worker_head.parameters()], lr)
        self.goal = None

    @classmethod
    def create(cls, obs_dim, n_actions, args, goals=4):
        return cls(
            Perception(obs_dim, args.width), GoalHead(args.width, goals), WorkerHead(args.width, goals, n_actions))

    def choose_goal(self, obs):
        self.goal = self.manager.decide(self.goal_head(self.perception(obs)))

    def act(self, obs):
        return self.worker.decide(self.worker_head(self.perception(obs), self.goal))

    def reward(self, r):
        self.worker.credit(r)
        self.manager.credit(r)
