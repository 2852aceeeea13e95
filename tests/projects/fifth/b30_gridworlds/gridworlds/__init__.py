from .env import GoalEnv, MLPPolicy, discounted_return  # noqa: F401
