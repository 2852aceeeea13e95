import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from gridworlds import GoalEnv, MLPPolicy, discounted_return

env, pi = GoalEnv(), MLPPolicy()
o = env.rollout(pi, torch.rand(2, 3, 2), torch.rand(2, 3, 2))
(-discounted_return(o["reward"])).backward()
print("ok")
